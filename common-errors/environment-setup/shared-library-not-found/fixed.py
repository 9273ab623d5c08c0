import ctypes
import importlib.util
import tempfile
from pathlib import Path

import torch

# find_spec searches sys.path and imports nothing.
package = Path(importlib.util.find_spec("torchvision").origin).parent
# Built for the installed PyTorch, which has loaded all libraries that it asks for.
code = next(package.glob("_C*.so")).read_bytes()
folder = tempfile.TemporaryDirectory()
library = Path(folder.name, "detection_ops.so")
library.write_bytes(code)
ctypes.CDLL(str(library))
boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 11.0, 11.0], [50.0, 50.0, 60.0, 60.0]])
kept = torch.ops.torchvision.nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
print(f"boxes kept: {kept.tolist()}")
