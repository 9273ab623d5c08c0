import ctypes
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import torch

folder = tempfile.TemporaryDirectory()


def built_against(needed, name="ops.so"):
    """torchvision's library, asking for another library in place of one of torch's."""
    code = next(Path(find_spec("torchvision").origin).parent.glob("_C*.so")).read_bytes()
    old = b"\0libtorch_cpu.so\0"
    path = Path(folder.name, name)
    path.write_bytes(code.replace(old, b"\0" + needed.encode().ljust(len(old) - 2, b"\0") + b"\0"))
    return path


# %% a build for another CUDA
library = built_against("libcudart.so.9")
ctypes.CDLL(str(library))

# %% a build for a PyTorch of 2019
library = built_against("libcaffe2.so")
ctypes.CDLL(str(library))

# %% a build for another Python
library = built_against("libpython3.so.9")
ctypes.CDLL(str(library))

# %% message: imported as a module
built_against("libtorch_hip.so", "scatter_cuda.so")
sys.path.insert(0, folder.name)
import scatter_cuda

# %% message: the right build, before torch
library = next(Path(find_spec("torchvision").origin).parent.glob("_C*.so"))
subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(library)!r})"], check=True)

# %% message: an older cuDNN
ctypes.CDLL(str(built_against("libcudnn.so.7")))

# %% message: the driver, in a container without one
ctypes.CDLL(str(built_against("libcuda.so.9")))

# %% message: a library of the system
ctypes.CDLL(str(built_against("libGL.so.7")))

# %% message: a library by its name
ctypes.CDLL("libmkl_intel_lp64.so.9")

# %% right: built for this PyTorch
library = next(Path(find_spec("torchvision").origin).parent.glob("_C*.so"))
ctypes.CDLL(str(library))
