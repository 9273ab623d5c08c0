import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

folder = tempfile.TemporaryDirectory()
packages = Path(folder.name, "work", "pytorch")
environment = {**os.environ, "PYTHONPATH": str(packages)}


def copy_torch(without):
    Path(packages, "torch").mkdir(parents=True)
    for file in Path(torch.__file__).parent.iterdir():
        if not file.name.startswith(without):
            Path(packages, "torch", file.name).symlink_to(file)


def run(code):
    subprocess.run([sys.executable, "-c", code], cwd=folder.name, env=environment, check=True)


# %% a copy of the sources, which was never compiled
copy_torch(without="_C.")
run("from torch import nn; print(nn.Linear(2, 2))")

# %% torchvision imports it
copy_torch(without="_C.")
run("import torchvision; print(torchvision.models.resnet18)")

# %% an upgrade was interrupted
copy_torch(without="_C.")
run("import torch.utils.data as data; print(data.DataLoader)")

# %% message: an empty folder is left, and no torch
Path(packages, "torch", "lib").mkdir(parents=True)
subprocess.run([sys.executable, "-S", "-c", "from torch import nn"], env=environment, check=True)

# %% message: imported for the second time
for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
    del sys.modules[name]
import torch

# %% message: reloaded
importlib.reload(torch)

# %% right: one torch
environment = {**os.environ, "PYTHONPATH": ""}
run("import torch; print(torch.ones(2))")
