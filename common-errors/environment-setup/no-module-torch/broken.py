import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TRAIN = """\
import torch

print("torch", torch.__version__.partition("+")[0])
"""

folder = tempfile.TemporaryDirectory()
Path(folder.name, "train.py").write_text(TRAIN)
# An environment has packages of its own, so what pip installed elsewhere is not in this new one.
venv.create(Path(folder.name, ".venv"))
python = Path(folder.name, ".venv", "Scripts" if sys.platform == "win32" else "bin", "python")
subprocess.run([python, "train.py"], cwd=folder.name, check=True)  # error
