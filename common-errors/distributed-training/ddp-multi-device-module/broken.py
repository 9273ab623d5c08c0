import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
local_rank = int(os.environ.get("LOCAL_RANK", 0))
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
device_ids = [local_rank]
parallel = DistributedDataParallel(model, device_ids=device_ids)  # error
inputs = torch.randn(32, 16, device=next(model.parameters()).device)
parallel(inputs).sum().backward()
print(f"gradients averaged: {model[0].weight.grad is not None}")
dist.destroy_process_group()
