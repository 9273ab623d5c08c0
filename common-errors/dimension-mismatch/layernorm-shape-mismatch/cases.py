import torch
import torchvision
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% after a convolution over images
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.LayerNorm(32))
batch = torch.rand(4, 3, 16, 16)
model(batch)
# %% fixed
conv, norm = nn.Conv2d(3, 32, 3), nn.LayerNorm(32)
model = nn.ModuleList([conv, norm])
model.forward = lambda images: (lambda x: norm(x.movedim(1, -1)).movedim(-1, 1))(conv(images))
batch = torch.rand(4, 3, 16, 16)
model(batch)

# %% message: after a convolution over videos
norm = nn.LayerNorm(16)
x = nn.Conv3d(3, 16, 3)(torch.rand(2, 3, 6, 10, 10))
norm(x)
# %% fixed
norm = nn.LayerNorm(16)
x = nn.Conv3d(3, 16, 3)(torch.rand(2, 3, 6, 10, 10))
norm(x.movedim(1, -1)).movedim(-1, 1)

# %% after a convolution over a signal
model = nn.Sequential(nn.Conv1d(12, 64, 5), nn.LayerNorm(64))
batch = torch.rand(8, 12, 100)
model(batch)
# %% fixed
conv, norm = nn.Conv1d(12, 64, 5), nn.LayerNorm(64)
model = nn.ModuleList([conv, norm])
model.forward = lambda signal: (lambda x: norm(x.movedim(1, -1)).movedim(-1, 1))(conv(signal))
batch = torch.rand(8, 12, 100)
model(batch)

# %% made for the length of the sequence
model = nn.Sequential(nn.Linear(6, 48), nn.LayerNorm(20))
batch = torch.rand(8, 20, 6)
model(batch)
# %% fixed
model = nn.Sequential(nn.Linear(6, 48), nn.LayerNorm(48))
batch = torch.rand(8, 20, 6)
model(batch)

# %% message: one image without a batch dimension
norm = nn.LayerNorm(32)
norm(nn.Conv2d(3, 32, 3)(torch.rand(3, 16, 16)))
# %% fixed
norm = nn.LayerNorm(32)
x = nn.Conv2d(3, 32, 3)(torch.rand(3, 16, 16))
norm(x.movedim(0, -1)).movedim(-1, 0)

# %% the features of another encoder
model = nn.Sequential(nn.LayerNorm(1280), nn.Linear(1280, 768))
batch = torch.rand(1, 257, 1664)
model(batch)
# %% fixed
model = nn.Sequential(nn.LayerNorm(normalized_shape=1664), nn.Linear(1664, 768))
batch = torch.rand(1, 257, 1664)
model(batch)

# %% a root mean square of other features
model = nn.Sequential(nn.Linear(16, 48), nn.RMSNorm(64))
batch = torch.rand(4, 16)
model(batch)
# %% fixed
model = nn.Sequential(nn.Linear(16, 48), nn.RMSNorm(normalized_shape=48))
batch = torch.rand(4, 16)
model(batch)

# %% an index took the tokens away
model = nn.LayerNorm(768)
batch = torch.rand(12, 768)[:, 0]
model(batch)

# %% message: a mean over everything
nn.LayerNorm(768)(torch.rand(4, 768).mean())

# %% images of another size
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.LayerNorm([32, 14, 14]))
batch = torch.rand(4, 3, 20, 20)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.GroupNorm(1, 32))
batch = torch.rand(4, 3, 20, 20)
model(batch)

# %% height and width of another size
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.LayerNorm([14, 14]))
batch = torch.rand(4, 3, 16, 20)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.InstanceNorm2d(32, affine=True))
batch = torch.rand(4, 3, 16, 20)
model(batch)

# %% channels that are last already
model = nn.LayerNorm([32, 14, 16])
batch = torch.rand(4, 32, 14, 16).permute(0, 2, 3, 1)
model(batch)
# %% fixed
model = nn.LayerNorm([32, 14, 16])
x = torch.rand(4, 32, 14, 16).permute(0, 2, 3, 1)
batch = x.permute(0, 3, 1, 2)
model(batch)

# %% the sequence length is part of it
model = nn.Sequential(nn.Linear(6, 64), nn.LayerNorm([20, 64]))
batch = torch.rand(8, 30, 6)
model(batch)
# %% fixed
model = nn.Sequential(nn.Linear(6, 64), nn.LayerNorm(64))
batch = torch.rand(8, 30, 6)
model(batch)

# %% message: flattened too early
nn.Sequential(nn.Flatten(), nn.LayerNorm([20, 64]))(torch.rand(8, 20, 64))

# %% message: a weight of another size
F.layer_norm(torch.rand(8, 64), [64], weight=torch.ones(32))

# %% message: an empty shape
sizes = torch.rand(8).shape[1:]
nn.LayerNorm(sizes)(torch.rand(8))

# %% right: a ConvNeXt, whose layers permute for themselves
model = torchvision.models.ConvNeXt([torchvision.models.convnext.CNBlockConfig(16, None, 2)], num_classes=4)
batch = torch.rand(2, 3, 32, 32)
model(batch)

# %% right: sequences of any length
model = nn.Sequential(nn.Linear(6, 48), nn.LayerNorm(48), nn.RMSNorm(normalized_shape=48))
batch = torch.rand(8, 31, 6)
model(batch)

# %% right: a layer without parameters, created where it is used
model = nn.Linear(6, 48)
model.forward = lambda x: nn.LayerNorm(48, elementwise_affine=False)(F.linear(x, model.weight))
batch = torch.rand(8, 6)
model(batch)
