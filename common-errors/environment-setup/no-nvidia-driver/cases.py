import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import torch
from torch import nn

# %% a batch moved to the GPU
device = "cuda"
batch = torch.randn(8, 16).to(device)

# %% a model moved to the second GPU
device = torch.device("cuda", 1)
model = nn.Linear(16, 4).to(device)

# %% message: cuda() without an argument
model = nn.Linear(16, 4).cuda()

# %% message: the name of the GPU is printed
print(torch.cuda.get_device_name())

# %% message: a buffer created there
gradients = torch.zeros(8, device="cuda:0")

# %% message: a process group for GPUs
import torch.distributed as dist

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)

# %% fixed
import torch.distributed as dist

backend = "gloo"
dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
dist.destroy_process_group()

# %% message: a batch that is pinned
batch = torch.randn(8, 16)
batch = batch.pin_memory()
# %% fixed
batch = torch.randn(8, 16)
batch = batch.pin_memory() if torch.cuda.is_available() else batch

# %% right: falls back to the CPU
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(16, 4).to(device)
