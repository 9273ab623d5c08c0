# fewer: needs Windows; written on Linux and not run there
import ctypes
import tempfile
from pathlib import Path

import torch

folder = Path(tempfile.mkdtemp())
C10 = Path(torch.__file__).with_name("lib") / "c10.dll"


def built_against(needed, name="torch_ops.dll"):
    path = folder / name
    path.write_bytes(C10.read_bytes().replace(b"MSVCP140.dll\0", needed.encode().ljust(12, b"\0") + b"\0"))
    return path


# %% a library of another CUDA
library = built_against("cudart9.dll")
ctypes.CDLL(str(library))

# %% a file that is no library for this processor
library = folder / "torch_ops.dll"
library.write_bytes(b"MZ" + bytes(1000))
ctypes.CDLL(str(library))

# %% right: as it was installed
library = C10
ctypes.CDLL(str(library))
