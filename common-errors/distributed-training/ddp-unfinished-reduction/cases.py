import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
inputs, labels = torch.randn(32, 16), torch.randint(4, (32,))


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head, self.other = nn.Linear(16, 32), nn.Linear(32, 4), nn.Linear(32, 4)

    def forward(self, inputs):
        features = self.encoder(inputs).relu()
        return self.head(features), self.other(features)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(16, 4) for _ in range(3))

    def forward(self, inputs, choice):
        return self.experts[choice](inputs)


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = nn.Linear(16, 32), nn.Linear(32, 4)

    def forward(self, inputs):
        with torch.no_grad():
            features = self.encoder(inputs)
        return self.head(features)


# %% an output that is not in the loss
model = DistributedDataParallel(TwoHeads())
for step in range(2):
    main, other = model(inputs)
    loss = cross_entropy(main, labels)
    loss.backward()

# %% one of three experts in each step
model = DistributedDataParallel(Experts())
for step in range(2):
    loss = cross_entropy(model(inputs, choice=step), labels)
    loss.backward()

# %% an encoder under no_grad
model = DistributedDataParallel(Probe())
for step in range(2):
    loss = cross_entropy(model(inputs), labels)
    loss.backward()

# %% message: frozen after wrapping
model = DistributedDataParallel(TwoHeads())
model.module.other.requires_grad_(False)
for step in range(2):
    cross_entropy(model(inputs)[0], labels).backward()

# %% message: with names, as TORCH_DISTRIBUTED_DEBUG=INFO prints them
dist.set_debug_level(dist.DebugLevel.INFO)
model = DistributedDataParallel(TwoHeads())
for step in range(2):
    cross_entropy(model(inputs)[0], labels).backward()

# %% right: DDP looks for unused parameters
model = DistributedDataParallel(Experts(), find_unused_parameters=True)
for step in range(2):
    loss = cross_entropy(model(inputs, choice=step), labels)
    loss.backward()

# %% right: frozen before wrapping
model = Probe()
model.encoder.requires_grad_(False)
model = DistributedDataParallel(model)
for step in range(2):
    loss = cross_entropy(model(inputs), labels)
    loss.backward()
