import ctypes
import tempfile
from pathlib import Path

import torch

code = Path(torch.__file__).with_name("lib").joinpath("c10.dll").read_bytes()
# As on a Windows without the Visual C++ runtime: the library needs a file that is nowhere.
code = code.replace(b"MSVCP140.dll\0", b"MSVCP199.dll\0")
library = Path(tempfile.mkdtemp(), "torch_ops.dll")
library.write_bytes(code)
ctypes.CDLL(str(library))  # error
print("loaded")
