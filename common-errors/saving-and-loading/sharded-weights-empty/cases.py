import io
import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel

folder = tempfile.TemporaryDirectory()
cpu = torch.device("cpu")


def join(rank):
    dist.init_process_group("gloo", init_method=f"file://{folder.name}/store", rank=rank, world_size=2)
    if rank == 1:
        multiprocessing.Event().wait(60)


if __name__ == "__main__":
    multiprocessing.get_context("fork").Process(target=join, args=(1,), daemon=True).start()
    join(0)


def shard(model):
    return FullyShardedDataParallel(model, device_id=cpu, use_orig_params=True)


def written(value):
    """What another program reads after `torch.save`."""
    file = io.BytesIO()
    torch.save(value, file)
    return torch.load(io.BytesIO(file.getvalue()))


# %% only the adapter is saved
def build():
    return nn.ModuleDict({"base": nn.Linear(16, 16), "lora_A": nn.Linear(16, 32), "lora_B": nn.Linear(32, 16)})


sharded = shard(build())
checkpoint = written({name: p.detach() for name, p in sharded.module.named_parameters() if "lora" in name})
model = build()
model.load_state_dict(checkpoint, strict=False)

# %% the best weights so far
def build():
    return nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 8), nn.LayerNorm(8))


sharded = shard(build())
best = {name: p.detach().clone() for name, p in sharded.module.named_parameters()}
checkpoint, model = written(best), build()
model.load_state_dict(checkpoint)

# %% an average of the weights
def build():
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.Flatten(), nn.LazyLinear(10))


model = build()
model(torch.zeros(1, 3, 8, 8))
names = [name for name, _ in model.named_parameters()]
copy = build()
copy(torch.zeros(1, 3, 8, 8))
average = [p.detach().clone() for p in shard(copy).parameters()]
checkpoint = written(dict(zip(names, average, strict=True)))
model.load_state_dict(checkpoint)

# %% a recurrent model, part by part
def build():
    return nn.ModuleDict({"cells": nn.GRU(8, 16, batch_first=True), "head": nn.Linear(16, 3)})


sharded = shard(build())
checkpoint = written({name: p.detach() for name, p in sharded.module["cells"].named_parameters()})
model = build()["cells"]
model.load_state_dict(checkpoint)

# %% the head of a model, to be used elsewhere
sharded = shard(nn.ModuleDict({"encoder": nn.Linear(128, 64), "head": nn.Linear(64, 5)}))
checkpoint = written({name: p.detach() for name, p in sharded.module["head"].named_parameters()})
model = nn.Linear(64, 5)
model.load_state_dict(checkpoint)

# %% message: in a larger program
def export(model, weights):
    print("exporting to weights/final.pth")
    model.load_state_dict(weights, strict=False)


sharded = shard(nn.Sequential(nn.Linear(80, 40), nn.Linear(40, 2)))
export(nn.Sequential(nn.Linear(80, 40), nn.Linear(40, 2)), written(dict(sharded.module.named_parameters())))

# %% right: a model that is not sharded
model = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 2))
checkpoint = written(nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 2)).state_dict())
model.load_state_dict(checkpoint)

# %% right: a buffer that is empty on both sides
class Memory(nn.Linear):
    def __init__(self):
        super().__init__(8, 4)
        self.register_buffer("memory", torch.empty(0))


model, checkpoint = Memory(), written(Memory().state_dict())
model.load_state_dict(checkpoint)
