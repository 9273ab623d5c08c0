import os
import subprocess
import sys
import tempfile
from pathlib import Path

from torch.utils.cpp_extension import load

folder = tempfile.TemporaryDirectory()


def build(name, source, **options):
    path = Path(folder.name, f"{name}.cpp")
    path.write_text(source)
    return load(name, [str(path)], build_directory=folder.name, is_python_module=False, **options)


# Builds CUDA code in a Python of its own, with the environment variables that are set then.
CUDA_BUILD = """
import sys
from torch.utils.cpp_extension import load
load("add", [sys.argv[1]], build_directory=sys.argv[2], is_python_module=False)
"""

# %% a header of a library that is not installed
build("norms", '#include <cutlass_missing.h>\nextern "C" int one() { return 1; }\n')

# %% a header that PyTorch no longer has
build("nms", '#include <torch/torch.h>\n#include <THC/THC.h>\nextern "C" int one() { return 1; }\n')

# %% a function that PyTorch no longer has
build("count", 'extern "C" int count(int value) { return THCCeilDiv(value, 32); }\n')

# %% a name that the standard library does not have
build("names", '#include <string>\nextern "C" int size() { std::strlng name; return 1; }\n')

# %% the C++ standard of an older PyTorch
build("norm", "#include <ATen/ATen.h>\n", extra_cflags=["-std=c++14", "-fmax-errors=1"])

# %% a method that a class of the standard library does not have
build("sizes", '#include <string>\nextern "C" int size() { std::string name; return name.sizes(); }\n')

# %% message: an option that the compiler does not have
build("one", 'extern "C" int one() { return 1; }\n', extra_cflags=["-fuse-tensor-cores"])
# %% fixed
build("one", 'extern "C" int one() { return 1; }\n', extra_cflags=["-funroll-loops"])

# %% a library that the linker does not find
build("blas", 'extern "C" int one() { return 1; }\n', extra_ldflags=["-lnot_there"])

# %% message: no ninja
os.environ["PATH"] = folder.name
build("one", 'extern "C" int one() { return 1; }\n')

# %% message: no GPU to compile for
os.environ |= {"CUDA_HOME": folder.name, "CUDA_VISIBLE_DEVICES": ""}
Path(folder.name, "add.cu").write_text("__global__ void add(float *a) { a[0] += 1; }\n")
command = [sys.executable, "-c", CUDA_BUILD, f"{folder.name}/add.cu", folder.name]
subprocess.run(command, check=True)

# %% right: it compiles
build("one", 'extern "C" int one() { return 1; }\n')
