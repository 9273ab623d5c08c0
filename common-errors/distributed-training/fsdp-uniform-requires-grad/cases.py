import multiprocessing
import tempfile
from functools import partial

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy

folder = tempfile.TemporaryDirectory()
settings = {"device_id": torch.device("cpu")}


def join(rank):
    dist.init_process_group("gloo", init_method=f"file://{folder.name}/store", rank=rank, world_size=2)
    if rank == 1:
        multiprocessing.Event().wait(60)


if __name__ == "__main__":
    multiprocessing.get_context("fork").Process(target=join, args=(1,), daemon=True).start()
    join(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32) for _ in range(2))
        self.head = nn.Linear(16, 4)


# %% only the head is trained
model = Encoder()
model.blocks.requires_grad_(False)
wrapped = [model]
FullyShardedDataParallel(model, **settings)

# %% fixed
model = Encoder()
model.blocks.requires_grad_(False)
wrapped = [model]
settings["use_orig_params"] = True
FullyShardedDataParallel(model, **settings)

# %% biases only, block by block
model = Encoder()
for name, weight in model.named_parameters():
    weight.requires_grad_("bias" in name)
wrapped = [*model.blocks]
FullyShardedDataParallel(model, auto_wrap_policy=ModuleWrapPolicy({nn.TransformerEncoderLayer}), **settings)

# %% frozen normalization layers
model = Encoder()
for module in model.modules():
    if isinstance(module, nn.LayerNorm):
        module.requires_grad_(False)
wrapped = [*model.blocks]
policy = partial(size_based_auto_wrap_policy, min_num_params=1000)
FullyShardedDataParallel(model, auto_wrap_policy=policy, **settings)

# %% an embedding with a frozen part
model = nn.Sequential(nn.Embedding(100, 16).requires_grad_(False), nn.Linear(16, 4))
wrapped = [model]
FullyShardedDataParallel(model, **settings)

# %% a convolution network with a frozen stem
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
model[0].requires_grad_(False)
wrapped = [model]
FullyShardedDataParallel(model, **settings)

# %% message: a part in half precision
model = nn.Sequential(nn.Linear(16, 16).half(), nn.Linear(16, 4))
FullyShardedDataParallel(model, **settings)

# %% fixed
model = nn.Sequential(nn.Linear(16, 16).half(), nn.Linear(16, 4))
FullyShardedDataParallel(model.to(torch.float32), **settings)

# %% message: weights packed in 8 bits after a layer that is not
model = nn.Sequential(nn.Linear(16, 4), nn.Linear(4, 4))
model[1].weight = nn.Parameter(model[1].weight.mul(64).to(torch.int8), requires_grad=False)
FullyShardedDataParallel(model, use_orig_params=True, **settings)
# %% fixed
model = nn.Sequential(nn.Linear(16, 4), nn.Linear(4, 4))
model[1].weight = nn.Parameter(model[1].weight.mul(64).to(torch.int8), requires_grad=False)
FullyShardedDataParallel(model, use_orig_params=True, ignored_modules=[model[1]], **settings)

# %% right: frozen and trained layers are wrapped apart
model = nn.Sequential(nn.Linear(16, 16).requires_grad_(False), nn.Linear(16, 4))
wrapped = [*model]
for index, layer in enumerate(wrapped):
    model[index] = FullyShardedDataParallel(layer, **settings)
