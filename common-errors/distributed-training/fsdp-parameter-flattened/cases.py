import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.nn import functional as F

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


# %% the embedding looked up by hand
model = shard(nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 4)))
evaluated = model.module[0]
F.embedding(torch.randint(50, (8, 12)), evaluated.weight)


# %% another method than forward
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.project = nn.Embedding(50, 16), nn.Linear(16, 8)

    def encode(self, tokens):
        return self.project(self.tokens(tokens))

    def forward(self, tokens):
        return self.encode(tokens).mean(1)


model = shard(Encoder())
evaluated = model.module
model.module.encode(torch.randint(50, (8, 12)))

# %% a part of the model, as for features of the words alone
model = shard(nn.Sequential(nn.Embedding(50, 16, padding_idx=0), nn.Linear(16, 4)))
evaluated = model.module[0]
model.module[0](torch.randint(50, (8, 12)))

# %% the model that was wrapped, with positions
class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(50, 16), nn.Embedding(12, 16)

    def forward(self, tokens):
        return self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))


plain = Positions()
model = shard(plain)
evaluated = plain
plain(torch.randint(50, (8, 12)))

# %% message: a bag of words
model = shard(nn.Sequential(nn.EmbeddingBag(50, 16), nn.Linear(16, 4)))
model.module[0](torch.randint(50, (8, 12)))

# %% message: a layer of a model without use_orig_params, which is the default
model = FullyShardedDataParallel(nn.Sequential(nn.Linear(16, 16), nn.Linear(16, 4)), device_id=cpu)
model.module[1](torch.randn(8, 16))

# %% message: the same without gradients
model = FullyShardedDataParallel(nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 4)), device_id=cpu)
with torch.no_grad():
    model.module[0](torch.randint(50, (8, 12)))

# %% right: the wrapped model is called
model = evaluated = shard(nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 4)))
print(len(list(evaluated.parameters())))

# %% right: a module that is not wrapped
model = nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 4))
evaluated = model
model(torch.randint(50, (8, 12)))
