# fewer: pip installs only a torchvision that fits, so each fault is a copy of it whose library is damaged in another way
import contextlib
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path

import torch

folder = tempfile.TemporaryDirectory()
installed = Path(importlib.util.find_spec("torchvision").origin).parent


def copy_with_library(write):
    for part in installed.parent.glob("torchvision*/"):
        shutil.copytree(part, Path(folder.name, part.name))
    for library in Path(folder.name, "torchvision").glob("_C*"):
        write(library)
    sys.path.insert(0, folder.name)


# %% the library asks for a function that torch does not have
copy_with_library(lambda library: library.write_bytes(library.read_bytes().replace(b"torch_list_push_back", b"torch_list_push_last")))
from torchvision.models import resnet18

# %% the library is missing
copy_with_library(lambda library: library.unlink())
import torchvision.transforms

# %% message: imported a second time
copy_with_library(lambda library: library.write_bytes(b""))
with contextlib.suppress(RuntimeError):
    import torchvision
import torchvision

# %% right: the installed pair
import torchvision

kept = torchvision.ops.nms(torch.tensor([[0.0, 0.0, 10.0, 10.0]]), torch.tensor([0.9]), 0.5)
