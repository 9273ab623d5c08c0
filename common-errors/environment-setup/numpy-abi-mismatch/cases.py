# fewer: one NumPy is installed here, and others cannot be had without a download; the wordings of NumPy 2 are those of real reports
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

folder = tempfile.TemporaryDirectory()
python = [sys.executable, "-S"]
environment = {**os.environ, "PYTHONPATH": folder.name}


def packages_without(prefix):
    for package in Path(torch.__file__).parents[1].iterdir():
        if not package.name.startswith(prefix):
            Path(folder.name, package.name).symlink_to(package)


def run(code):
    subprocess.run([*python, "-c", code], env=environment, check=True)


# %% predictions of a model
packages_without("numpy")
run("import torch; print(torch.nn.Linear(8, 2)(torch.randn(4, 8)).argmax(1).cpu().numpy())")

# %% a tensor read as an array
packages_without("numpy")
run("import torch; print(torch.arange(6).reshape(2, 3).__array__())")

# %% message: labels of a batch
packages_without("numpy")
run("import torch; labels = torch.randint(10, (4,)); print(sorted(labels.numpy()))")

# %% right: all packages
packages_without("no such package")
run("import torch, numpy; print(numpy.asarray(torch.zeros(3)))")
