import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
inputs, labels = torch.randn(32, 16), torch.randint(4, (32,))


class Layers(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.stem = nn.Linear(16, 32)
        self.layers = nn.Sequential(*[nn.Linear(32, 32) for _ in range(4)])
        self.head, self.other = nn.Linear(32, 4), nn.Linear(32, 4)
        self.reentrant = reentrant

    def forward(self, inputs):
        features = checkpoint_sequential(self.layers, 2, self.stem(inputs), use_reentrant=self.reentrant)
        return self.head(features)


class Shared(nn.Module):
    """One layer that is applied several times, as in ALBERT."""

    def __init__(self):
        super().__init__()
        self.stem, self.layer, self.head = nn.Linear(16, 32), nn.Linear(32, 32), nn.Linear(32, 4)

    def forward(self, inputs):
        features = self.stem(inputs)
        for _ in range(3):
            features = checkpoint(self.layer, features, use_reentrant=True)
        return self.head(features)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.head, self.other = nn.Linear(16, 32), nn.Linear(32, 4), nn.Linear(32, 4)
        self.scale = nn.Parameter(torch.zeros(()))

    def forward(self, inputs):
        features = self.stem(inputs)
        return self.head(features), self.other(features)


# %% segments of a sequence of layers
model = DistributedDataParallel(Layers(reentrant=True), find_unused_parameters=True)
loss = cross_entropy(model(inputs), labels)
loss.backward()

# %% fixed
model = DistributedDataParallel(Layers(reentrant=False), find_unused_parameters=True)
loss = cross_entropy(model(inputs), labels)
loss.backward()


# %% a convolution in a checkpoint, and a regression
class Depth(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3)
        self.unused = nn.Conv2d(8, 1, 1)

    def forward(self, images):
        return checkpoint(self.second, self.first(images), use_reentrant=True).mean((1, 2, 3))


model = DistributedDataParallel(Depth(), find_unused_parameters=True)
loss = model(torch.randn(2, 3, 12, 12)).square().mean()
loss.backward()

# %% one layer checkpointed three times
model = DistributedDataParallel(Shared())
loss = cross_entropy(model(inputs), labels)
loss.backward()

# %% a backward pass for each loss
model = DistributedDataParallel(TwoHeads())
main, other = model(inputs)
losses = [cross_entropy(main, labels), cross_entropy(other, labels)]
for loss in losses:
    loss.backward(retain_graph=True)

# %% message: a backward pass for each loss, while unused parameters are searched for
model = DistributedDataParallel(TwoHeads(), find_unused_parameters=True)
for _ in range(2):
    model.zero_grad()
    main, other = model(inputs)
    cross_entropy(main, labels).backward(retain_graph=True)
    cross_entropy(other, labels).backward()

# %% a parameter that only the loss uses
model = DistributedDataParallel(TwoHeads(), find_unused_parameters=True)
loss = cross_entropy(model(inputs)[0], labels) * torch.exp(-model.module.scale) + model.module.scale
loss.backward()

# %% message: with names, as TORCH_DISTRIBUTED_DEBUG=INFO prints them
dist.set_debug_level(dist.DebugLevel.INFO)
model = DistributedDataParallel(Shared())
cross_entropy(model(inputs), labels).backward()

# %% undecided: each layer in one checkpoint of several layers, and DDP does not look for unused parameters
model = Layers(reentrant=True)
del model.other
model = DistributedDataParallel(model)
loss = cross_entropy(model(inputs), labels)
loss.backward()

# %% right: a static graph
model = DistributedDataParallel(Layers(reentrant=True), static_graph=True)
loss = cross_entropy(model(inputs), labels)
loss.backward()


# %% right: a checkpoint for each layer
class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.layers = nn.Linear(16, 32), nn.ModuleList([nn.Linear(32, 32), nn.Linear(32, 4)])

    def forward(self, inputs):
        features = self.stem(inputs)
        for layer in self.layers:
            features = checkpoint(layer.__call__, features, use_reentrant=True)
        return features


model = DistributedDataParallel(Checkpointed())
loss = cross_entropy(model(inputs), labels)
loss.backward()
