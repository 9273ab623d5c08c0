import torch
from torch import nn

# %% a tensor for an Intel GPU
device = "xpu"
batch = torch.zeros(4, 8, device=device)

# %% a checkpoint moved to an Intel GPU
device = torch.device("xpu:0")
state = {name: value.to(device) for name, value in nn.Linear(8, 2).state_dict().items()}

# %% code written on a Mac
device = "mps"
model = nn.Linear(8, 2).to(device)

# %% message: a tensor created on a Mac's GPU
batch = torch.zeros(4, 8, device="mps")

# %% message: the number of the current Intel GPU
torch.xpu.current_device()

# %% right: the device that the machine has
device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
model = nn.Linear(8, 2).to(device)
