import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path

import torch

installed = Path(importlib.util.find_spec("torchvision").origin).parent
folder = tempfile.TemporaryDirectory()
# A copy, so that your installation stays intact; torchvision.libs has the libraries that a build brings along.
for part in installed.parent.glob("torchvision*/"):
    shutil.copytree(part, Path(folder.name, "site-packages", part.name))
copy = Path(folder.name, "site-packages", "torchvision")
# As installed together with torch: the compiled library fits.
sys.path.insert(0, str(copy.parent))
import torchvision

boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [1.0, 1.0, 11.0, 11.0], [50.0, 50.0, 60.0, 60.0]])
kept = torchvision.ops.nms(boxes, scores=torch.tensor([0.9, 0.8, 0.7]), iou_threshold=0.5)
print(f"boxes kept: {kept.tolist()}")
