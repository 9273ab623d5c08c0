import torch
from torch import nn

# %% a scalar per batch instead of per sample
losses = torch.rand(16)
tensor, dim = losses.mean(), -2
per_class = tensor.sum(dim=dim)

# %% channels that a mean has removed
features = torch.rand(8, 64, 7, 7)
tensor, dim = features.mean(2), 3
pooled = tensor.mean(dim)

# %% a vector unsqueezed behind its end
tensor, dim, added = torch.rand(5), 2, 1
column = tensor.unsqueeze(dim)

# %% vectors joined as columns
tensor, dim = torch.rand(64), 1
both = torch.cat([tensor, torch.rand(64)], dim=dim)

# %% one sequence without batch
tensor, dim = torch.rand(20, 16), 2
scores = nn.Softmax(dim=dim)(tensor)

# %% far too large
tensor, dim = torch.rand(3, 4), 5
values = tensor.max(dim=dim)

# %% a scalar, and a dimension that only a matrix has
tensor, dim = torch.tensor(0.5), 3
values = tensor.flip(dim)

# %% message: size of a scalar
batch_size = torch.rand(4).mean().size(0)

# %% message: a single image through a model with Flatten
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(0), nn.LogSoftmax(dim=1))
model(torch.rand(1, 28, 28))

# %% right: the last dimension, and a sum over a scalar
tensor, dim = torch.rand(()), 0
total = tensor.sum(dim) + torch.rand(3, 4).argmax(dim=-2).sum()

# %% right: a new dimension at the end
tensor, dim, added = torch.rand(5), 1, 1
column = tensor.unsqueeze(dim)
