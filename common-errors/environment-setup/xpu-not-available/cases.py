import os

os.environ["ONEAPI_DEVICE_SELECTOR"] = "opencl:cpu"
import torch
from torch import nn

# %% a batch moved to the GPU
device = "xpu"
batch = torch.randn(8, 16).to(device)

# %% a model moved to the first GPU
device = torch.device("xpu", 0)
model = nn.Linear(16, 4).to(device)

# %% message: xpu() without an argument
model = nn.Linear(16, 4).xpu()

# %% message: the number of the current device
torch.xpu.current_device()

# %% message: a buffer created there
gradients = torch.zeros(8, device="xpu:0")

# %% right: falls back to the CPU
device = torch.device("xpu" if torch.xpu.is_available() else "cpu")
model = nn.Linear(16, 4).to(device)
