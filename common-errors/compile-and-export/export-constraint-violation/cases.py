import logging

import torch
from torch import nn
from torch.export import Dim

logging.disable(logging.WARNING)


class Computes(nn.Module):
    def __init__(self, function, *layers):
        super().__init__()
        self.function, self.layers = function, nn.ModuleList(layers)

    def forward(self, x):
        return self.function(*self.layers, x)


class Adds(nn.Module):
    def forward(self, features, skip):
        return features + skip


images = torch.rand(2, 3, 32, 32)

# %% a length that is split into ten windows of five
model = nn.Sequential(nn.Linear(8, 8), nn.Unflatten(1, (10, 5)))
inputs, dynamic_shapes = (torch.rand(2, 50, 8),), ({1: Dim("length")},)
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% the time steps of an LSTM
model = Computes(lambda lstm, x: lstm(x)[0], nn.LSTM(8, 16, batch_first=True))
inputs, dynamic_shapes = (torch.rand(2, 20, 8),), ({1: Dim("time")},)
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% only one of two inputs is declared
model = Adds()
inputs, dynamic_shapes = (torch.rand(8, 16), torch.rand(8, 16)), ({0: Dim("batch")}, None)
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% pooling that leaves one row of a small image
model = nn.Sequential(nn.MaxPool2d(2), nn.ConvTranspose2d(3, 3, 2, stride=2))
inputs, dynamic_shapes = (images,), ({2: Dim("height")},)
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% a skip connection around pooling
model = Computes(lambda down, up, x: x + up(down(x)), nn.MaxPool2d(2), nn.ConvTranspose2d(3, 3, 2, stride=2))
inputs, dynamic_shapes = (images,), ({2: Dim("height", min=4)},)
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% more positions than the embedding has
positions = torch.rand(50, 8)
model = Computes(lambda x: x + positions[: x.shape[1]])
inputs, dynamic_shapes = (torch.rand(2, 20, 8),), ({1: Dim("length")},)
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% two names for sizes that are equal
model = Adds()
inputs, dynamic_shapes = (torch.rand(8, 16), torch.rand(8, 16)), ({0: Dim("batch")}, {0: Dim("other")})
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)
# %% fixed
model, batch = Adds(), Dim("batch")
inputs, dynamic_shapes = (torch.rand(8, 16), torch.rand(8, 16)), ({0: batch}, {0: batch})
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% Dim.DYNAMIC and an example of one image
model = nn.Conv2d(3, 8, 3)
inputs, dynamic_shapes = (images[:1],), ({0: Dim.DYNAMIC},)
torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% message: a table of positions as long as the example
class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(32, 8))

    def forward(self, x):
        return x + self.table


torch.export.export(Positions(), (torch.rand(2, 32, 8),), dynamic_shapes=({1: Dim("length", max=512)},))


# %% fixed
class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(32, 8))

    def forward(self, x):
        return x + self.table[: x.shape[1]]


program = torch.export.export(Positions(), (torch.rand(2, 32, 8),), dynamic_shapes=({1: Dim("length", max=32)},))
program.module()(torch.rand(2, 7, 8))

# %% message: exported with Dim.AUTO, called with another length
program = torch.export.export(nn.Unflatten(0, (4, 2)), (torch.rand(8, 3),), dynamic_shapes=({0: Dim.AUTO},))
program.module()(torch.rand(16, 3))

# %% message: exported with Dim.AUTO and one image, called with two
program = torch.export.export(nn.Conv2d(3, 8, 3), (images[:1],), dynamic_shapes=({0: Dim.AUTO},))
program.module()(images)

# %% message: torch.compile with mark_dynamic
@torch.compile(backend="eager")
def windows(x):
    return x.view(8, 2, 2)


x = torch.rand(8, 4)
torch._dynamo.mark_dynamic(x, 0)
windows(x)

# %% right: pooling, with a minimum
model = nn.Sequential(nn.MaxPool2d(2), nn.ConvTranspose2d(3, 3, 2, stride=2))
inputs, dynamic_shapes = (images,), ({2: Dim("height", min=4)},)
program = torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% right: two inputs with dimensions of the same name
model = Adds()
inputs, dynamic_shapes = (torch.rand(8, 16), torch.rand(8, 16)), ({0: Dim("batch")}, {0: Dim("batch")})
program = torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)

# %% right: a dimension that is to be fixed
model = nn.Linear(8, 4)
inputs, dynamic_shapes = (torch.rand(3, 8),), ({0: Dim("batch"), 1: Dim.STATIC},)
program = torch.export.export(model, inputs, dynamic_shapes=dynamic_shapes)
