from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F

# %% the layers of a DenseNet, as old code names them
owner, names, network = nn.Sequential(), ["norm.1", "conv.1"], nn.Sequential()
for name, module in zip(names, [nn.BatchNorm2d(8), nn.Conv2d(8, 16, 3)]):
    network.add_module(name, module)
# %% fixed
owner, names, network = nn.Sequential(), ["norm_1", "conv_1"], nn.Sequential()
for name, module in zip(["norm.1", "conv.1"], [nn.BatchNorm2d(8), nn.Conv2d(8, 16, 3)]):
    network.add_module(name.replace(".", "_"), module)

# %% versions as the keys of heads
owner, names = nn.ModuleDict(), ["v1.0", "v1.5"]
heads = nn.ModuleDict({name: nn.Linear(16, 2) for name in names})
# %% fixed
owner, names = nn.ModuleDict(), ["v1_0", "v1_5"]
heads = nn.ModuleDict({name.replace(".", "_"): nn.Linear(16, 2) for name in ["v1.0", "v1.5"]})


# %% a parameter with a dotted name
class Prompts(nn.Module):
    def __init__(self, names):
        super().__init__()
        for name in names:
            self.register_parameter(name, nn.Parameter(torch.zeros(4, 16)))


owner, names = nn.Module(), ["task.a", "task.b"]
prompts = Prompts(names)
# %% fixed
owner, names, prompts = nn.Module(), ["task_a", "task_b"], nn.Module()
for name in ["task.a", "task.b"]:
    prompts.register_parameter(name.replace(".", "_"), nn.Parameter(torch.zeros(4, 16)))

# %% an empty name
owner, names = nn.Sequential(), [""]
owner.add_module("", nn.Linear(4, 4))


# %% a buffer that was assigned before
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(8, 8).tril()
        self.register_buffer("mask", self.mask)


owner, names = nn.Module(), ["mask"]
owner.mask = None
attention = Attention()


# %% fixed
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(8, 8).tril())


owner, names = nn.Module(), ["mask"]
attention = Attention()

# %% a key that is the name of a method
owner, names = nn.ModuleDict(), ["type", "color"]
heads = nn.ModuleDict({"type": nn.Linear(16, 3), "color": nn.Linear(16, 5)})
# %% fixed
owner, names = nn.ModuleDict(), ["type_head", "color_head"]
heads = nn.ModuleDict({"type_head": nn.Linear(16, 3), "color_head": nn.Linear(16, 5)})


# %% message: a layer that was a list before
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [nn.Linear(8, 8)]
        self.add_module("blocks", nn.Sequential(nn.Linear(8, 8)))


Decoder()

# %% numbers as keys
owner, names = nn.ModuleDict(), [0, 1]
experts = nn.ModuleDict({index: nn.Linear(8, 8) for index in names})
# %% fixed
owner, names = nn.ModuleDict(), ["0", "1"]
experts = nn.ModuleDict({str(index): nn.Linear(8, 8) for index in range(2)})

# %% message: a function instead of a layer
network = nn.Sequential(nn.Linear(8, 8), F.relu)
# %% fixed
network = nn.Sequential(nn.Linear(8, 8), nn.ReLU())

# %% message: the class of a layer
network = nn.Sequential(nn.Linear(8, 8), nn.ReLU)
# %% fixed
network = nn.Sequential(nn.Linear(8, 8), nn.ReLU())

# %% message: a list of layers
layers = [nn.Linear(8, 8), nn.ReLU()]
network = nn.Sequential(layers)
# %% fixed
layers = [nn.Linear(8, 8), nn.ReLU()]
network = nn.Sequential(*layers)

# %% message: a dictionary of layers
network = nn.Sequential({"hidden": nn.Linear(8, 8), "out": nn.Linear(8, 2)})
# %% fixed
network = nn.Sequential(OrderedDict({"hidden": nn.Linear(8, 8), "out": nn.Linear(8, 2)}))

# %% message: sizes instead of layers
network = nn.ModuleList([64, 32])

# %% right: names without dots
owner, names = nn.ModuleDict(), ["classifier", "regressor_2", "head-3"]
heads = nn.ModuleDict({name: nn.Linear(16, 2) for name in names})

# %% message: a generator of layers
sizes = [8, 4, 2]
network = nn.Sequential(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
# %% fixed
sizes = [8, 4, 2]
layers = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]
network = nn.Sequential(*layers)

# %% right: a layer is replaced, a buffer is registered again
owner, names = nn.Module(), ["first"]
network = nn.Sequential(OrderedDict(first=nn.Linear(4, 4)))
network.add_module("first", nn.Linear(4, 8))
network.register_buffer("scale", torch.ones(4))
network.register_buffer("scale", torch.zeros(4))
