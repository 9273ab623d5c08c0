import importlib.util
import tempfile
from pathlib import Path

import torch

# find_spec searches sys.path and imports nothing.
package = Path(importlib.util.find_spec("torchvision").origin).parent
code = next(package.glob("_C*.so")).read_bytes()
# Like a build for another torch: it asks for a function that the installed one does not have.
code = code.replace(b"\0torch_list_push_back\0", b"\0torch_list_push_last\0")
folder = tempfile.TemporaryDirectory()
library = Path(folder.name, "detection_ops.so")
library.write_bytes(code)
torch.ops.load_library(library)  # error
boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 11.0, 11.0], [50.0, 50.0, 60.0, 60.0]])
kept = torch.ops.torchvision.nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
print(f"boxes kept: {kept.tolist()}")
