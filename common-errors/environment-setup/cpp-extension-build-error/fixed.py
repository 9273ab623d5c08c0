import ctypes
import logging
import tempfile
from pathlib import Path

# Silences what torch says of CUDA, which this extension does not use.
logging.disable(logging.WARNING)
from torch.utils.cpp_extension import load  # noqa: E402

HEADER = "const double RATE = 0.5;\n"
SOURCE = """\
#include "rate.h"

extern "C" double decayed(double value) { return value * RATE; }
"""

folder = tempfile.TemporaryDirectory()
project = Path(folder.name)
(project / "include").mkdir()
(project / "include" / "rate.h").write_text(HEADER)
(project / "decay.cpp").write_text(SOURCE)
sources = [str(project / "decay.cpp")]
# The compiler searches only the folders of torch, of Python and of the system, and those that are named here.
headers = [str(project / "include")]
library = load("decay", sources, extra_include_paths=headers, build_directory=folder.name, is_python_module=False)
decayed = ctypes.CDLL(library).decayed
decayed.argtypes, decayed.restype = [ctypes.c_double], ctypes.c_double
print(f"decayed: {decayed(3.0)}")
