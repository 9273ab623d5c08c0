import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% steps before features
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16))
batch = torch.randn(8, 20, 6)
layer, features = model[1], 16
model(batch)
# %% fixed
linear, norm = nn.Linear(6, 16), nn.BatchNorm1d(16)
model = lambda readings: norm(linear(readings).transpose(1, 2)).transpose(1, 2)
batch = torch.randn(8, 20, 6)
layer, features = norm, 16
model(batch)

# %% a convolution that was widened
model = nn.Sequential(nn.Conv2d(3, 48, 3), nn.BatchNorm2d(32))
batch = torch.rand(4, 3, 16, 16)
layer, features = model[1], 48
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 48, 3), nn.BatchNorm2d(num_features=48))
batch = torch.rand(4, 3, 16, 16)
layer, features = model[1], 48
model(batch)

# %% maps that were flattened first
model = nn.Sequential(nn.Flatten(), nn.BatchNorm1d(32))
batch = torch.rand(8, 32, 7, 7)
layer, features = model[1], 32
model(batch)
# %% fixed
model = nn.Sequential(nn.BatchNorm2d(32), nn.Flatten())
batch = torch.rand(8, 32, 7, 7)
layer, features = model[0], 32
model(batch)

# %% without running statistics
model = nn.Sequential(nn.Conv1d(12, 40, 3), nn.BatchNorm1d(64, track_running_stats=False))
batch = torch.rand(4, 12, 100)
layer, features = model[1], 40
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv1d(12, 40, 3), nn.BatchNorm1d(num_features=40, track_running_stats=False))
batch = torch.rand(4, 12, 100)
layer, features = model[1], 40
model(batch)

# %% an instance normalization
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.InstanceNorm2d(64, affine=True))
batch = torch.rand(4, 3, 16, 16)
layer, features = model[1], 32
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.InstanceNorm2d(num_features=32, affine=True))
batch = torch.rand(4, 3, 16, 16)
layer, features = model[1], 32
model(batch)

# %% a group normalization for other channels
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.GroupNorm(4, 64))
batch = torch.rand(4, 3, 16, 16)
layer, features = model[1], 32
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 32, 3), nn.GroupNorm(4, num_channels=32))
batch = torch.rand(4, 3, 16, 16)
layer, features = model[1], 32
model(batch)

# %% a group normalization of channels that are last
model = nn.GroupNorm(8, 64)
batch = torch.rand(4, 30, 64)
layer, features = model, 64
model(batch)

# %% message: a group normalization of images with channels last
nn.GroupNorm(8, 64)(torch.rand(4, 30, 30, 64))

# %% groups that do not divide the channels
model = nn.Sequential(nn.Conv2d(3, 30, 3), nn.GroupNorm(4, 32))
batch = torch.rand(4, 3, 16, 16)
layer, features = model[1], 30
model(batch)

# %% message: a function with too many groups
F.group_norm(torch.rand(4, 30, 16, 16), num_groups=8)

# %% message: statistics of single images
norm = nn.InstanceNorm2d(64, track_running_stats=True)
norm(torch.rand(4, 32, 8, 8))
# %% fixed
norm = nn.InstanceNorm2d(num_features=32, track_running_stats=True)
norm(torch.rand(4, 32, 8, 8))

# %% right: as many steps as features, and the features are dimension 1
model = nn.BatchNorm1d(16)
batch = torch.randn(8, 20, 16).transpose(1, 2)
layer, features = model, 16
model(batch)

# %% right: a batch of vectors
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16))
batch = torch.randn(20, 6)
layer, features = model[1], 16
model(batch)
