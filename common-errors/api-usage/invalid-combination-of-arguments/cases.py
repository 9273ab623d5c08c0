import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

# %% a list of images
call = lambda: nn.Conv2d(3, 8, 3)([torch.rand(3, 32, 32), torch.rand(3, 32, 32)])
call()
# %% fixed
call = lambda: nn.Conv2d(3, 8, 3)(torch.stack([torch.rand(3, 32, 32), torch.rand(3, 32, 32)]))
call()

# %% a padding that was divided
kernel = 5
call = lambda: nn.Conv2d(3, 8, kernel, padding=(kernel - 1) / 2, bias=False)(torch.rand(1, 3, 32, 32))
call()

# %% a forward without return
class Encoder(nn.Module):
    def forward(self, images):
        features = images.flatten(2)


call = lambda: nn.Sequential(Encoder(), nn.Conv1d(3, 8, 3))(torch.rand(2, 3, 8, 8))
call()

# %% another name of the dimension
call = lambda: torch.rand(4, 10).sum(dims=1)
call()
# %% fixed
call = lambda: torch.rand(4, 10).sum(dim=1)
call()

# %% a layer with half of the features
call = lambda: nn.Linear(8 * 6 * 6 / 2, 10)
call()
# %% fixed
call = lambda: nn.Linear(8 * 6 * 6 // 2, 10)
call()

# %% half of the outputs
width = 64
call = lambda: nn.Conv2d(3, width / 2, 3)
call()

# %% two tensors that are not in a list
a, b = torch.rand(2, 4), torch.rand(2, 4)
call = lambda: torch.concat(a, b)
call()
# %% fixed
a, b = torch.rand(2, 4), torch.rand(2, 4)
call = lambda: torch.concat([a, b])
call()

# %% message: columns that are not in a list
a, b = torch.rand(4), torch.rand(4)
table = torch.column_stack(a, b)
# %% fixed
a, b = torch.rand(4), torch.rand(4)
table = torch.column_stack([a, b])

# %% message: random integers with a bare size
n = 16
labels = torch.randint(0, 10, n)
# %% fixed
n = 16
labels = torch.randint(0, 10, size=(n,))

# %% message: values in the old constructor
weights = torch.Tensor(0.2, 0.8)

# %% message: a NumPy dtype
x = torch.arange(3)
x = x.to(np.float32)
# %% fixed
x = torch.arange(3)
x = x.to(torch.float32)

# %% message: where with an array
x, mean = torch.rand(3, 4), np.zeros((3, 4))
x = torch.where(x > 0.5, x, mean)
# %% fixed
x, array = torch.rand(3, 4), np.zeros((3, 4))
x = torch.where(x > 0.5, x, torch.from_numpy(array))

# %% message: a text as a value
masked = torch.rand(3, 4).masked_fill(torch.rand(3, 4) > 0.5, "-inf")

# %% message: noise without a size
noise = torch.normal(0.0, 1.0, 3)

# %% message: an optional argument is None, and another is wrong
larger = F.interpolate(torch.rand(1, 3, 8, 8), scale_factor="2")

# %% message: a window that was divided
pooled = F.max_pool2d(torch.rand(1, 3, 8, 8), 8 / 4)
# %% fixed
pooled = F.max_pool2d(torch.rand(1, 3, 8, 8), 8 // 4)

# %% message: one number of padding
padded = F.pad(torch.rand(1, 3, 8, 8), 1)

# %% message: sizes from a configuration file
hidden = "128"
layer = nn.Linear(64, hidden)
# %% fixed
hidden = "128"
layer = nn.Linear(64, int(hidden))

# %% message: the inputs of a layer from the environment
hidden = "128"
layer = nn.Linear(hidden, 10)
# %% fixed
hidden = "128"
layer = nn.Linear(int(hidden), 10)

# %% message: the channels of a normalization from the command line
hidden = "128"
layer = nn.BatchNorm1d(hidden)
# %% fixed
hidden = "128"
layer = nn.BatchNorm1d(int(hidden))

# %% message: the old constructor of another project, in a traceback of a layer
class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.scale = nn.Parameter(torch.FloatTensor(heads, width / heads))


nn.Sequential(Attention(64, 8))

# %% right: sizes of NumPy, a float where one belongs, None where it is allowed
call = lambda: torch.zeros(np.int64(3), 4).clamp(None, 0.5).sum(axis=1)
call()
