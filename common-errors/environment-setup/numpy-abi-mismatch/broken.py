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

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "export.py").write_text(EXPORT)
    packages = Path(folder, "site-packages")
    packages.mkdir()
    for package in Path(torch.__file__).parents[1].iterdir():
        # An environment like this one, but without a NumPy that torch could load.
        if not package.name.startswith("numpy"):
            Path(packages, package.name).symlink_to(package)
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    subprocess.run([sys.executable, "-S", "export.py"], cwd=folder, env=environment, check=True)  # error
