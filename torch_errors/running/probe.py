"""Run like a script of the catalog: prints what such a script finds on this machine, as one line of JSON."""

import json
import os
import platform

import torch

cuda = torch.cuda.is_available()
mps = torch.backends.mps.is_available()
found = {
    "torch": str(torch.__version__),
    "python": platform.python_version(),
    "system": f"{platform.system()} {platform.machine()}",
    "device": torch.cuda.get_device_name() if cuda else "Apple GPU" if mps else "CPU",
    "cuda": cuda,
    "mps": mps,
    "posix": os.name == "posix",
    "windows": os.name == "nt",
}
print(json.dumps(found))
