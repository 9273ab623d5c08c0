import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
model = nn.Linear(16, 4)
distributed = dist.is_available()  # true in nearly every build
if distributed:
    dist.init_process_group("gloo")  # error
    model = DistributedDataParallel(model)
print(f"outputs: {tuple(model(torch.randn(32, 16)).shape)}")
if distributed:
    dist.destroy_process_group()
