from dataclasses import dataclass

import torch
from torch import nn

# %% a parameter first
class Scale(nn.Module):
    def __init__(self, width):
        self.weight = nn.Parameter(torch.ones(width))
        super().__init__()


kind, args = Scale, (4,)
model = Scale(4)

# %% a buffer first
class Positions(nn.Module):
    def __init__(self):
        self.register_buffer("table", torch.zeros(4, 8))


kind, args = Positions, ()
model = Positions()

# %% without parentheses
class Head(nn.Module):
    def __init__(self):
        super().__init__
        self.fc = nn.Linear(8, 2)


kind, args = Head, ()
model = Head()

# %% numbers only
class Shift(nn.Module):
    def __init__(self, by):
        self.by = by

    def forward(self, x):
        return x + self.by


kind, args = Shift, (2.0,)
model = Shift(2.0)
model(torch.ones(3))

# %% the parameters are asked for first
class Shift(nn.Module):
    def __init__(self, by):
        self.by = by


kind, args = Shift, (2.0,)
model = Shift(2.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% a dataclass
@dataclass
class Encoder(nn.Module):
    layer: nn.Linear


kind, args = Encoder, (nn.Linear(16, 2),)
model = Encoder(nn.Linear(16, 2))

# %% message: a layer of a larger model
class Block(nn.Module):
    def __init__(self):
        self.conv = nn.Conv2d(3, 8, 3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()


model = Net()

# %% right: no __init__ of its own
class Double(nn.Module):
    def forward(self, x):
        return 2 * x


kind, args = Double, ()
model = Double()
model(torch.ones(3))

# %% right: numbers before the call, layers after it
class Head(nn.Module):
    def __init__(self, width):
        self.width = width
        super().__init__()
        self.fc = nn.Linear(width, 2)


kind, args = Head, (8,)
model = Head(8)
