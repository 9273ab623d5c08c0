# fewer: a machine without a GPU says that it finds no driver, whatever the number
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
import torch
from torch import nn

# %% the number that nvidia-smi shows
device = torch.device("cuda", 3)
torch.cuda.set_device(device)

# %% fixed
device = torch.device("cuda", torch.cuda.device_count() - 1)
torch.cuda.set_device(device)

# %% more processes than GPUs
local_rank = 2
device = f"cuda:{local_rank}"
batch = torch.zeros(4, 8, device=device)

# %% fixed
for local_rank in range(torch.cuda.device_count()):
    device = f"cuda:{local_rank}"
    batch = torch.zeros(4, 8, device=device)

# %% the properties of a GPU that is not there
device = "cuda:5"
print(torch.cuda.get_device_properties(device).name)

# %% fixed
for number in range(torch.cuda.device_count()):
    device = f"cuda:{number}"
    print(torch.cuda.get_device_properties(device).name)

# %% half of a model on a second GPU
device = "cuda:1"
head = nn.Linear(8, 2).cuda(1)

# %% fixed
device = f"cuda:{min(1, torch.cuda.device_count() - 1)}"
head = nn.Linear(8, 2).to(device)

# %% random numbers of a second GPU
device = "cuda:1"
noise = torch.randn(4, device=device)

# %% fixed
device = torch.device("cuda", torch.cuda.device_count() - 1)
noise = torch.randn(4, device=device)

# %% right: a device without a number
device = "cpu"
model = nn.Linear(8, 2).to(device)
