import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler

distributed = True

# %% a model wrapped in DDP
model = DistributedDataParallel(nn.Linear(8, 2))

# %% only rank 0 is to print
if dist.get_rank() == 0:
    print("starts")

# %% a metric summed over processes that were never started
correct = torch.tensor(17.0)
dist.all_reduce(correct)

# %% a question after the group was destroyed
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.destroy_process_group()
print("processes:", dist.get_world_size())

# %% message: a barrier before a download
dist.barrier()

# %% message: states collected from all processes
states = [None]
dist.all_gather_object(states, {"step": 3})

# %% message: a group that does not exist is destroyed
dist.destroy_process_group()
# %% fixed
if dist.is_initialized(): dist.destroy_process_group()

# %% right: a group of one process
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
sampler = DistributedSampler(range(10))

# %% right: no group, and nothing asks for one
distributed = dist.is_initialized()
sampler = DistributedSampler(range(10), num_replicas=1, rank=0)
