import subprocess
import sys
import tempfile
import venv
from pathlib import Path

folder = tempfile.TemporaryDirectory()
Path(folder.name, "train.py").write_text("from torch import nn\n\nprint(nn.Linear(2, 2))\n")


def new_environment():
    venv.create(Path(folder.name, ".venv"))
    return Path(folder.name, ".venv", "Scripts" if sys.platform == "win32" else "bin", "python")


# %% a program of a new environment
python = new_environment()
subprocess.run([python, Path(folder.name, "train.py")], check=True)

# %% a launcher of a new environment
python = new_environment()
subprocess.run([python, "-c", "import torch.distributed.run as run; run.main()"], check=True)

# %% message: torchvision
subprocess.run([sys.executable, "-S", "-c", "import torchvision"], check=True)

# %% message: torchrun as a module
subprocess.run([sys.executable, "-S", "-m", "torch.distributed.run", "train.py"], check=True)

# %% message: called by its other name
import pytorch

# %% message: TensorBoard, a package of its own
from torch.utils.tensorboard import SummaryWriter

# %% right: the Python that torch was installed for
python = sys.executable
subprocess.run([python, "-c", "import torch"], check=True)
