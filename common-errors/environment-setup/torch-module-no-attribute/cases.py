import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()


def beside_an_empty_folder(code):
    """A Python without packages, in a folder that has an empty folder `torch`."""
    Path(folder.name, "torch").mkdir()
    subprocess.run([sys.executable, "-S", "-c", code], cwd=folder.name, check=True)


# %% a removed function
spectrum = torch.randn(8, 129, 2)
sounds = torch.irfft(spectrum, 1)

# %% a misspelled submodule
weights = torch.nn.functonal.softmax(torch.randn(4, 3), dim=1)

# %% a function of another module
layer = nn.Linear(8, 2)
scores = torch.functional.relu(layer(torch.randn(4, 8)))

# %% an optimizer that torch does not have
optimizer = torch.optim.Lion(nn.Linear(8, 2).parameters())

# %% message: a least-squares fit
points, heights = torch.randn(20, 3), torch.randn(20, 1)
coefficients = torch.lstsq(heights, points)
# %% fixed
points, heights = torch.randn(20, 3), torch.randn(20, 1)
coefficients = torch.linalg.lstsq(points, heights).solution

# %% message: eigenvalues
values, vectors = torch.symeig(torch.eye(3), eigenvectors=True)

# %% message: a file called torch.py
Path(folder.name, "torch.py").write_text("import torch\n\nprint(torch.ones(2))\n")
subprocess.run([sys.executable, "torch.py"], cwd=folder.name, check=True)

# %% message: an empty folder called torch
beside_an_empty_folder("import torch; print(torch.__version__)")

# %% message: no_grad of something else
beside_an_empty_folder("import torch; torch.no_grad()")

# %% message: accelerator of something else
beside_an_empty_folder("import torch; torch.accelerator.current_accelerator()")

# %% message: compile of something else
beside_an_empty_folder("import torch; torch.compile(print)")

# %% right: the current names
spectrum = torch.view_as_real(torch.fft.rfft(torch.randn(8, 256)))
compiled = torch.compile(nn.Linear(129, 4))
