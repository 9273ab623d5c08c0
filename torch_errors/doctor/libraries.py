"""Facts from shared libraries, which are read and never loaded: those of torch, and that of the driver."""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from torch_errors.doctor.facts import Facts

# The list of architectures that `torch.cuda.get_arch_list()` returns, as it lies in the library.
LIST = re.compile(rb"(?:(?:sm|compute)_\d{2,3}[a-z]?[ \0]){2,40}|(?:gfx[0-9a-f]{3,5}[a-z0-9:+-]{0,20}[ ;\0]){2,40}")
PYTHON_LIBRARIES = ("libtorch_python.so", "torch_python.dll")
# Libraries of CUDA that programs take from LD_LIBRARY_PATH although wheels bring them along.
OF_CUDA = re.compile(r"lib(?:cudnn|cublas|cublasLt|cudart|nccl|cusparse|cufft|curand|cusolver)\.so\.\d{1,2}", re.ASCII)
LIBCUDA = re.compile(r"libcuda\.so\.(?P<version>\d{3}\.[\d.]{2,8})$", re.ASCII)


def architectures(facts: Facts, torch: Path) -> None:
    """Add the architectures that the build has code for."""
    for name in PYTHON_LIBRARIES:
        path = torch / "lib" / name
        if not path.is_file() or not path.stat().st_size:
            continue
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            start = max(0, min(at for at in (content.find(b"sm_"), content.find(b"gfx"), len(content)) if at >= 0) - 9)
            found = LIST.search(content, start)
            if found:
                text = found[0].decode("ascii").translate({0: " ", ord(";"): " "})
                facts.put("architectures", " ".join(text.split()), str(path))
            return


def driver_libraries(facts: Facts, folders: Sequence[Path], cached: str) -> None:
    """Add the version of libcuda.so that a program loads: from LD_LIBRARY_PATH, or else as `ldconfig -p` lists it."""
    listed = re.findall(r"libcuda\.so\.1 \([^)]*x86-64[^)]*\) => (\S+)|libcuda\.so\.1 \([^)]*\) => (\S+)", cached)
    paths = [folder / "libcuda.so.1" for folder in folders] + [Path(first or second) for first, second in listed]
    path = next((path for path in paths if path.exists()), None)
    version = LIBCUDA.search(os.path.realpath(path)) if path else None
    if path and version:
        if "compat" in os.path.realpath(path):
            facts.put("compat", "yes", str(path))
            facts.put("compat_version", version["version"], str(path))
        else:
            facts.put("libcuda_version", version["version"], str(path))


def library_path(facts: Facts, folders: Sequence[Path], packages: Path) -> None:
    """Add the libraries of CUDA in LD_LIBRARY_PATH that differ from those of the same name in the wheels."""
    own = {path.name: path for path in packages.glob("nvidia/*/lib/lib*.so.*")}
    own |= {path.name: path for path in packages.glob("torch/lib/lib*.so.*")}
    others = [path for path in _libraries(folders) if path.name in own and _size(path) != _size(own[path.name])]
    if others:
        facts.put("library_path_other", ", ".join(map(str, others[:3])), "LD_LIBRARY_PATH")


def _libraries(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        yield from (folder / name for name in names if OF_CUDA.fullmatch(name))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
