import multiprocessing
import tempfile

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.tensor import DeviceMesh, DTensor, Shard
from torch.nn.parallel import DistributedDataParallel

# %% where training goes on, broadcast from rank 0
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
tensor = torch.tensor([3, 1200])
dist.broadcast(tensor, src=0)
# %% fixed
dist.init_process_group("cpu:gloo,cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
tensor = torch.tensor([3, 1200])
dist.broadcast(tensor, src=0)

# %% scores gathered from a group of its own
dist.init_process_group("cpu:gloo,cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
group = dist.new_group(backend="cuda:gloo")
tensor = torch.rand(50, dtype=torch.float64)
scores = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
dist.all_gather(scores, tensor, group=group)
# %% fixed
dist.init_process_group("cpu:gloo,cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
group = dist.new_group(backend="cpu:gloo,cuda:gloo")
tensor = torch.rand(50, dtype=torch.float64)
scores = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
dist.all_gather(scores, tensor, group=group)

# %% the longest sequence of all ranks, over the group of a mesh
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
group = DeviceMesh("cuda", [0]).get_group()
tensor = torch.tensor(max(len(text) for text in ("a b c", "a")))
dist.all_reduce(tensor, op=dist.ReduceOp.MAX, group=group)

# %% a model left on the CPU, wrapped in DDP
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.LazyLinear(10))
model(torch.zeros(1, 3, 16, 16))
tensor = model[0].weight
model = DistributedDataParallel(model)
# %% fixed
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.LazyLinear(10))
model(torch.zeros(1, 3, 16, 16))
tensor = model[0].weight
model = DistributedDataParallel(model)

# %% message: weights received into a model on the CPU
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.recv(nn.Linear(8, 4).weight.data, src=0)

# %% message: objects sent through the CPU
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
settings = [{"epochs": 3}]
dist.broadcast_object_list(settings, src=0, device="cpu")
# %% fixed
dist.init_process_group("cpu:gloo,cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
settings = [{"epochs": 3}]
dist.broadcast_object_list(settings, src=0, device="cpu")

# %% message: a state dict saved in the background
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
folder = tempfile.TemporaryDirectory()
dcp.async_save(nn.Linear(8, 4).state_dict(), checkpoint_id=folder.name)
# %% fixed
dist.init_process_group("cpu:gloo,cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
folder = tempfile.TemporaryDirectory()
dcp.async_save(nn.Linear(8, 4).state_dict(), checkpoint_id=folder.name).result()

# %% message: a barrier that names the missing rank
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.monitored_barrier()
# %% fixed
dist.init_process_group("cpu:gloo,cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.monitored_barrier()

# %% message: gradients clipped while their shards are on the CPU
folder = tempfile.TemporaryDirectory()


def clip(rank):
    dist.init_process_group("cuda:gloo", init_method=f"file://{folder.name}/store", rank=rank, world_size=2)
    mesh = DeviceMesh("cpu", [0, 1])
    weight = nn.Parameter(DTensor.from_local(torch.ones(4), mesh, [Shard(0)], run_check=False))
    weight.grad = DTensor.from_local(torch.ones(4), mesh, [Shard(0)], run_check=False)
    print(f"norm: {nn.utils.clip_grad_norm_([weight], 1.0).full_tensor().item():.2f}")


other = multiprocessing.get_context("fork").Process(target=clip, args=(1,))
other.start()
clip(0)


# %% fixed
folder = tempfile.TemporaryDirectory()


def clip(rank):
    dist.init_process_group("cpu:gloo,cuda:gloo", init_method=f"file://{folder.name}/store", rank=rank, world_size=2)
    mesh = DeviceMesh("cpu", [0, 1])
    weight = nn.Parameter(DTensor.from_local(torch.ones(4), mesh, [Shard(0)], run_check=False))
    weight.grad = DTensor.from_local(torch.ones(4), mesh, [Shard(0)], run_check=False)
    print(f"norm: {nn.utils.clip_grad_norm_([weight], 1.0).full_tensor().item():.2f}")


other = multiprocessing.get_context("fork").Process(target=clip, args=(1,))
other.start()
clip(0)
other.join()

# %% right: a second group for CPU tensors
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
group = dist.new_group(backend="gloo")
tensor = torch.tensor([0.7, 0.9])
dist.all_reduce(tensor, group=group)

# %% right: Gloo alone, for both devices
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
tensor = torch.tensor([12, 50])
dist.all_reduce(tensor)
