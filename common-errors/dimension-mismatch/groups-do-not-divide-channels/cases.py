import torch
import torch.nn.functional as F
from torch import nn

# %% a depthwise layer with one and a half filters per channel
channels, groups = 48, 32
layer = nn.Conv2d(32, channels, 3, groups=groups)
# %% fixed
channels, groups = 64, 32
layer = nn.Conv2d(32, channels, 3, groups=groups)

# %% a transposed convolution
channels, groups = 30, 4
layer = nn.ConvTranspose1d(64, channels, 4, stride=2, groups=groups)

# %% a coordinate channel more
channels, groups = 64 + 1, 8
layer = nn.Conv3d(channels, 32, 3, groups=groups)

# %% no groups, from a division that rounds down
channels = 12
groups = channels // 16
layer = nn.Conv1d(channels, 24, 5, groups=groups)

# %% group normalization with the usual 32 groups
channels, groups = 48, 32
layer = nn.GroupNorm(groups, channels)
# %% fixed
channels, groups = 48, 16
layer = nn.GroupNorm(num_groups=16, num_channels=channels)

# %% channels shuffled between groups
channels, groups = 58, 4
shuffled = nn.ChannelShuffle(groups)(torch.rand(2, channels, 8, 8))

# %% one blur kernel for three colors
image, kernel = torch.rand(1, 3, 32, 32), torch.full((1, 1, 5, 5), 1 / 25)
channels, groups = len(kernel), 3
blurred = F.conv2d(image, kernel, padding=2, groups=groups)
# %% fixed
image, weight = torch.rand(1, 3, 32, 32), torch.full((1, 1, 5, 5), 1 / 25)
blurred = F.conv2d(image, weight.repeat(3, 1, 1, 1), padding=2, groups=3)
channels, groups = 3, 3

# %% four edge filters for six groups
signal, filters = torch.rand(2, 6, 100), torch.rand(4, 1, 9)
channels, groups = len(filters), 6
edges = F.conv1d(signal, filters, groups=groups)

# %% ten edge filters for six groups
signal, filters = torch.rand(2, 6, 100), torch.rand(10, 1, 9)
channels, groups = len(filters), 6
edges = F.conv1d(signal, filters, groups=groups)

# %% message: no groups for the function
F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)

# %% message: three channels per color for a factor of 2
image = torch.rand(1, 16, 8, 8)
nn.Sequential(nn.Conv2d(16, 9, 3, padding=1), nn.PixelShuffle(2))(image)
# %% fixed
image = torch.rand(1, 16, 8, 8)
nn.Sequential(nn.Conv2d(16, 3 * 2**2, 3, padding=1), nn.PixelShuffle(2))(image)

# %% message: an odd width for pixel_unshuffle
x = torch.rand(1, 3, 24, 27)
F.pixel_unshuffle(x, 2)
# %% fixed
x = torch.rand(1, 3, 24, 27)
x = F.pad(x, (0, -x.shape[-1] % 2, 0, -x.shape[-2] % 2))
F.pixel_unshuffle(x, 2)

# %% right: a depthwise convolution
channels, groups = 32, 32
layer = nn.Conv2d(channels, 64, 3, groups=groups)

# %% right: one group for a prime number of channels
channels, groups = 7, 1
layer = nn.Sequential(nn.Conv2d(channels, 13, 3, groups=groups), nn.GroupNorm(1, 13))
layer(torch.rand(1, 7, 8, 8))
