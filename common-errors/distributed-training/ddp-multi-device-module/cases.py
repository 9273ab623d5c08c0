import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

# %% a convolution network that stayed on the CPU
module, ids = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)), [0]
model = DDP(module, device_ids=ids, output_device=0)
# %% fixed
module, ids = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)), None
model = DDP(module, device_ids=None, output_device=None)

# %% the second process of a machine without GPUs
module, ids = nn.LSTM(8, 16), [torch.device("cuda", 1)]
model = DDP(module, device_ids=ids)
# %% fixed
module, ids = nn.LSTM(8, 16), None
model = DDP(module, device_ids=None)

# %% part of the model is still on the meta device
module, ids = nn.Sequential(nn.Embedding(100, 16), nn.Linear(16, 100, device="meta")), None
model = DDP(module)

# %% an adapter that was created after the model had moved
module, ids = nn.ModuleDict({"base": nn.Linear(8, 8, device="meta"), "adapter": nn.Linear(8, 8)}), [0]
model = DDP(module, device_ids=ids)

# %% all devices in one process, as for DataParallel
module, ids = nn.Linear(16, 4), [0, 1]
model = DDP(module, device_ids=ids)
# %% fixed
module, ids = nn.Linear(16, 4), None
model = DDP(module, device_ids=None)

# %% message: an index instead of a list, for the output only
DDP(nn.Linear(4, 4), output_device=2)
# %% fixed
DDP(nn.Linear(4, 4), device_ids=None)

# %% right: a model on the CPU, without device_ids
module, ids = nn.Linear(16, 4), None
model = DDP(module, device_ids=ids)
model(torch.randn(2, 16)).sum().backward()
