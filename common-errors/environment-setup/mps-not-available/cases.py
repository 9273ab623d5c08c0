import ctypes

ctypes.CDLL("/usr/lib/libSystem.dylib").sandbox_init(b"(version 1)(allow default)(deny iokit-open)", 0, None)
import torch
from torch import nn

# %% a batch moved to the GPU
device = "mps"
batch = torch.randn(8, 16).to(device)

# %% a model moved to the first GPU
device = torch.device("mps", 0)
model = nn.Linear(16, 4).to(device)

# %% a tensor created there
device = torch.device("mps")
weights = torch.ones(8, device=device)

# %% a mask for attention
device = "mps:0"
mask = torch.zeros(4, 4, dtype=torch.bool, device=device)

# %% a whole program with a default device
device = "mps"
torch.set_default_device(device)
model = nn.Linear(16, 4)

# %% right: falls back to the CPU
device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
model = nn.Linear(16, 4).to(device)
