import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TRAIN = """\
import torch

print("torch", torch.__version__.partition("+")[0])
"""

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "train.py").write_text(TRAIN)
    # An environment has packages of its own, so what pip installed elsewhere is not in this new one.
    venv.create(Path(folder, ".venv"))
    python = Path(folder, ".venv", "Scripts" if sys.platform == "win32" else "bin", "python")
    subprocess.run([python, "train.py"], cwd=folder, check=True)  # error
