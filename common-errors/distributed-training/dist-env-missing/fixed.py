import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
model = nn.Linear(16, 4)
distributed = "RANK" in os.environ  # torchrun sets it, "python train.py" does not
if distributed:
    dist.init_process_group("gloo")
    model = DistributedDataParallel(model)
print(f"outputs: {tuple(model(torch.randn(32, 16)).shape)}")
if distributed:
    dist.destroy_process_group()
