"""A script that is run like those of the catalog and prints what they find on this machine, as one line of JSON."""

import ctypes
import json
import os
import platform
import shutil

import torch

cuda = torch.cuda.is_available()
# Whether a script may mount file systems that other processes don't see: on Linux, as root or in a user namespace.
# The flags are CLONE_NEWNS and CLONE_NEWUSER, see unshare(2), and MS_REC | MS_PRIVATE, see mount(2).
MOUNTS, USERS, PRIVATE = 0x20000, 0x10000000, 0x44000
libc = ctypes.CDLL(None) if platform.system() == "Linux" else None
namespaces = (
    libc is not None
    and libc.unshare(MOUNTS | (USERS if os.getuid() else 0)) == 0
    and libc.mount(b"none", b"/", None, PRIVATE, None) == 0
)
mps = torch.backends.mps.is_available()
machine = {
    "torch": str(torch.__version__),
    "python": platform.python_version(),
    "system": f"{platform.system()} {platform.machine()}",
    "device": torch.cuda.get_device_name() if cuda else "Apple GPU" if mps else "CPU",
    "cuda": cuda,
    "mps": mps,
    "xpu": torch.xpu._is_compiled(),  # the build: the entry needs one without a device
    "posix": os.name == "posix",
    "linux": platform.system() == "Linux",
    "windows": os.name == "nt",
    "namespaces": namespaces,
    "compiler": all(map(shutil.which, ("ninja", os.environ.get("CXX", "c++")))),
    "multicore": (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) > 1,
}
print(json.dumps(machine))
