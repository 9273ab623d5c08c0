import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

EXPORT = """\
import torch

scores = torch.tensor([0.25, 0.5, 0.25])
print("sum:", scores.sum().item())
print("scores:", scores.numpy())
"""

folder = tempfile.TemporaryDirectory()
Path(folder.name, "export.py").write_text(EXPORT)
packages = Path(folder.name, "site-packages")
packages.mkdir()
for package in Path(torch.__file__).parents[1].iterdir():
    # All packages, with the NumPy that fits this torch.
    Path(packages, package.name).symlink_to(package)
environment = {**os.environ, "PYTHONPATH": str(packages)}
python = [sys.executable, "-S"]  # without the packages of this environment
subprocess.run([*python, "export.py"], cwd=folder.name, env=environment, check=True)
