import re
import tempfile
from importlib.util import find_spec
from pathlib import Path

import torch

folder = tempfile.TemporaryDirectory()


def built_for_another(symbol, name="ops.so"):
    """torchvision's library, asking for another function in place of one of torch's."""
    code = next(Path(find_spec("torchvision").origin).parent.glob("_C*.so")).read_bytes()
    old = re.search(rb"\0(aoti_torch_[a-z0-9_]{24,})\0", code)[1]
    path = Path(folder.name, name)
    path.write_bytes(code.replace(b"\0" + old + b"\0", b"\0" + symbol.encode().ljust(len(old), b"\0") + b"\0"))
    return path


# %% an extension for another torch
library = built_for_another("_ZN3c104cuda9SetDeviceEi")
torch.ops.load_library(library)

# %% an extension for another Python
library = built_for_another("_PyThreadState_Swap2")
torch.ops.load_library(library)

# %% message: imported as a module
import sys

built_for_another("_ZN2at4_ops5zeros4callE", "scatter_cuda.so")
sys.path.insert(0, folder.name)
import scatter_cuda

# %% message: an older NCCL
torch.ops.load_library(built_for_another("ncclAlltoAllv"))

# %% message: cuBLAS
torch.ops.load_library(built_for_another("cublasGemmGroupedBatch"))

# %% message: nvJitLink
torch.ops.load_library(built_for_another("__nvJitLinkGetError_12_4"))

# %% message: MKL
torch.ops.load_library(built_for_another("iJIT_NotifyEvent"))

# %% message: an ordinary C library
torch.ops.load_library(built_for_another("jpeg_crop_scanline"))

# %% right: built for this torch
library = next(Path(find_spec("torchvision").origin).parent.glob("_C*.so"))
torch.ops.load_library(library)
