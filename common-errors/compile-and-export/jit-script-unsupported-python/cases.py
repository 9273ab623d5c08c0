from functools import partial
from types import SimpleNamespace
from typing import Optional

import numpy as np
import torch
from torch import nn
from torchvision import transforms

# %% a lambda
def normalize(x: torch.Tensor):
    scale = lambda y: y / y.norm()  # noqa: E731
    return scale(x)


model = normalize
torch.jit.script(model)

# %% any number of inputs
class Concat(nn.Module):
    def forward(self, *features):
        return torch.cat(features, dim=1)


model = Concat()
torch.jit.script(model)

# %% a configuration object
class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def forward(self, x):
        return nn.functional.dropout(x, self.config.dropout)


model = Block(SimpleNamespace(dropout=0.1))
torch.jit.script(model)

# %% an optional mask
class Pool(nn.Module):
    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor] = None):
        return x.sum(1) / mask.sum(1)


model = Pool()
torch.jit.script(model)

# %% a number of the module
SCALE = 0.5


def scaled(x: torch.Tensor):
    return x * SCALE


model = scaled
torch.jit.script(model)

# %% a NumPy function
def half(x: torch.Tensor):
    return x * np.sqrt(2)


model = half
torch.jit.script(model)

# %% a variable of one branch
def clip(x: torch.Tensor):
    if x.sum() > 0:
        y = x.clamp(0, 1)
    return y


model = clip
torch.jit.script(model)

# %% a file
def read(x: torch.Tensor):
    open("log.txt")
    return x


model = read
torch.jit.script(model)

# %% a head chosen by its name
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"boxes": nn.Linear(4, 4), "classes": nn.Linear(4, 10)})

    def forward(self, x: torch.Tensor, task: str):
        return self.heads[task](x)


model = Heads()
torch.jit.script(model)


# %% fixed
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"boxes": nn.Linear(4, 4), "classes": nn.Linear(4, 10)})

    def forward(self, x: torch.Tensor, task: str):
        result = x
        for name, head in self.heads.items():
            if name == task:
                result = head(x)
        return result


model = Heads()
torch.jit.script(model)

# %% message: transforms of torchvision
class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.transform = transforms.Compose([transforms.Resize((8, 8)), transforms.Normalize([0.5] * 3, [0.5] * 3)])

    def forward(self, x: torch.Tensor):
        return self.transform(x).mean(1)


torch.jit.script(Predictor())


# %% fixed
class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.transform = nn.Sequential(transforms.Resize((8, 8)), transforms.Normalize([0.5] * 3, [0.5] * 3))

    def forward(self, x: torch.Tensor):
        return self.transform(x).mean(1)


torch.jit.script(Predictor())(torch.rand(1, 3, 16, 16))

# %% message: a function with a setting
class Activated(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = partial(nn.functional.leaky_relu, negative_slope=0.2)

    def forward(self, x: torch.Tensor):
        return self.act(x)


torch.jit.script(Activated())


# %% fixed
class Activated(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x: torch.Tensor):
        return self.act(x)


torch.jit.script(Activated())(torch.rand(2, 4))

# %% message: an attribute that is None at first
class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x: torch.Tensor):
        self.last = x
        return x


torch.jit.script(Cached())


# %% fixed
class Cached(nn.Module):
    cache: Optional[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.cache = None

    def forward(self, x: torch.Tensor):
        self.cache = x
        return x


torch.jit.script(Cached())

# %% message: a counter that is a number at first
class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.total = 0

    def forward(self, x: torch.Tensor):
        self.total = x.sum()
        return x


torch.jit.script(Counted())

# %% message: a new attribute
class Keeps(nn.Module):
    def forward(self, x: torch.Tensor):
        self.last = x
        return x


torch.jit.script(Keeps())

# %% message: an unpacked shape
def rows(x: torch.Tensor):
    count, *rest = x.shape
    return x.view(count, -1)


torch.jit.script(rows)


# %% fixed
def rows(x: torch.Tensor):
    return x.view(x.size(0), -1)


torch.jit.script(rows)

# %% message: a result of two types
def total(x: torch.Tensor):
    if x.sum() > 0:
        return x
    return 0


torch.jit.script(total)

# %% message: a try block
def safe(x: torch.Tensor):
    try:
        return x.sum()
    except RuntimeError:
        return x


torch.jit.script(safe)

# %% message: a lambda as the function
torch.jit.script(lambda x: x + 1)

# %% message: a condition in a comprehension
def lengths(xs: list[torch.Tensor]):
    return [x.shape[0] for x in xs if x.shape[0] > 1]


torch.jit.script(lengths)

# %% message: an object that is no module
class Pipeline:
    def __init__(self):
        self.model = nn.Linear(2, 2)


torch.jit.script(Pipeline())

# %% message: a tensor method that does not exist
def sharpen(x: torch.Tensor):
    return x.sharpen()


torch.jit.script(sharpen)

# %% right: the same things as TorchScript has them
class Mean(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.scale = 0.5

    def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor] = None):
        for index, block in enumerate(self.blocks):
            x = block(x) * self.scale + index
        if mask is not None:
            return x.sum(1) / mask.sum(1)
        return x.mean(1)


model = Mean()
torch.jit.script(model)(torch.rand(2, 4))

# %% right: an ordinary layer
model = nn.Linear(4, 2)
torch.jit.script(model)
