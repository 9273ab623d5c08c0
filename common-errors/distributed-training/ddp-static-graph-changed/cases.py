import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
inputs = torch.randn(32, 16)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(16, 4) for _ in range(3))

    def forward(self, inputs, choice):
        return self.experts[choice](inputs)


class Deep(nn.Module):
    """Skips layers, as stochastic depth does."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))

    def forward(self, inputs, kept):
        for index in kept:
            inputs = inputs + self.layers[index](inputs).relu()
        return inputs


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.head, self.other = nn.Linear(16, 32), nn.Linear(32, 4), nn.Linear(32, 4)

    def forward(self, inputs):
        features = self.stem(inputs).relu()
        return self.head(features), self.other(features)


# %% another expert in each step
model = DistributedDataParallel(Experts(), static_graph=True)
for step in range(3):
    loss = model(inputs, step).sum()
    loss.backward()

# %% fixed
model = DistributedDataParallel(Experts(), find_unused_parameters=True)
for step in range(3):
    loss = model(inputs, step).sum()
    loss.backward()

# %% layers that are skipped at random
model = DistributedDataParallel(Deep(), static_graph=True)
for kept in ([0, 1, 3], [0, 2, 3]):
    loss = model(inputs, kept).sum()
    loss.backward()

# %% the method that sets it, as in older code
model = DistributedDataParallel(Deep())
model._set_static_graph()
for kept in ([0, 1], [1, 2]):
    loss = model(inputs, kept).square().mean()
    loss.backward()

# %% message: all layers after a warm-up
model = DistributedDataParallel(Deep(), static_graph=True)
for step in range(3):
    model(inputs, range(2 + 2 * (step > 0))).sum().backward()

# %% message: a layer of the first step is left out
model = DistributedDataParallel(Deep(), static_graph=True)
for kept in ([0, 1, 2, 3], [0, 1], [0, 1, 2, 3]):
    model(inputs, kept).sum().backward()

# %% right: the same graph in every step
model = DistributedDataParallel(TwoHeads(), static_graph=True)
for step in range(3):
    main, other = model(inputs)
    loss = main.sum() + 0.1 * other.sum()
    loss.backward()
