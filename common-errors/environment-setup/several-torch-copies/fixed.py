import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

folder = tempfile.TemporaryDirectory()
Path(folder.name, "train.py").write_text('import torch\n\nprint("torch", torch.__version__.partition("+")[0])\n')
# A second copy of torch: what pip once installed for Python 3.9.
packages = Path(folder.name, ".local/lib/python3.9/site-packages")
Path(packages, "torch").mkdir(parents=True)
for file in Path(torch.__file__).parent.iterdir():
    name = "_C.cpython-39-x86_64-linux-gnu.so" if file.name.startswith("_C.") else file.name
    Path(packages, "torch", name).symlink_to(file)
# Without PYTHONPATH, Python finds the torch of its own site-packages.
environment = {**os.environ, "PYTHONPATH": ""}
subprocess.run([sys.executable, "train.py"], cwd=folder.name, env=environment, check=True)
