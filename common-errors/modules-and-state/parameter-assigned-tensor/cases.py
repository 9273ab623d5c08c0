import numpy as np
import torch
from torch import nn

layer, vectors = nn.Embedding(100, 16), torch.rand(100, 16)

# %% pretrained vectors
again = lambda: setattr(layer, "weight", vectors)
layer.weight = vectors

# %% a step by hand
layer = nn.Linear(4, 2)
layer(torch.rand(3, 4)).sum().backward()
again = lambda: setattr(layer, "weight", layer.weight - 0.1 * layer.weight.grad)
layer.weight = layer.weight - 0.1 * layer.weight.grad

# %% an array of NumPy
values = np.ones((100, 16), dtype=np.float32)
again = lambda: setattr(layer, "weight", values)
layer.weight = values
# %% fixed
values = np.ones((100, 16), dtype=np.float32)
again = lambda: None
with torch.no_grad():
    layer.weight.copy_(torch.as_tensor(values))

# %% a bias that is None
layer = nn.Linear(4, 2, bias=False)
again = lambda: setattr(layer, "bias", torch.zeros(2))
layer.bias = torch.zeros(2)

# %% a layer in place of a weight
layer = nn.Linear(4, 2)
again = lambda: setattr(layer, "weight", nn.Linear(4, 2))
layer.weight = nn.Linear(4, 2)

# %% half precision
layer = nn.Linear(4, 2)
again = lambda: setattr(layer, "weight", layer.weight.half())
layer.weight = layer.weight.half()
# %% fixed
module = nn.Linear(4, 2)
again = lambda: module.half()
module.half()

# %% message: two layers that share a weight
head = nn.Linear(16, 100, bias=False)
head.weight = layer.weight.data
# %% fixed
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(100, 16), nn.Linear(16, 100, bias=False)
        self.head.weight = self.embedding.weight


again = lambda: Tied()
Tied()

# %% message: a tensor is registered
layer.register_parameter("scale", torch.ones(16))
# %% fixed
tensor = torch.ones(16)
again = lambda: None
layer.register_parameter("scale", nn.Parameter(tensor))

# %% message: the result of a computation is registered
layer.register_parameter("scale", nn.Parameter(torch.ones(16)) * 2)
# %% fixed
tensor = torch.ones(16) * 2
again = lambda: None
layer.register_parameter("scale", nn.Parameter(tensor))

# %% right: a new parameter
again = lambda: setattr(layer, "weight", nn.Parameter(vectors))
layer.weight = nn.Parameter(vectors)

# %% right: a tensor under a name of its own
again = lambda: setattr(layer, "frozen", vectors)
layer.frozen = vectors
