import ctypes
import tempfile
from pathlib import Path

import torch

code = Path(torch.__file__).with_name("lib").joinpath("c10.dll").read_bytes()
# Every file that the library needs is there: the Visual C++ runtime, and what belongs to Windows.
library = Path(tempfile.mkdtemp(), "torch_ops.dll")
library.write_bytes(code)
ctypes.CDLL(str(library))
print("loaded")
