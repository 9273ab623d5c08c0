import torch
from torch import nn

torch.manual_seed(0)
# 96 = 32 * 3: each of the 32 groups gets 3 channels.
channels, groups = 96, 32
block = nn.Sequential(
    nn.Conv2d(3, channels, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.Conv2d(channels, 128, kernel_size=3, padding=1, groups=groups),
)
features = block(torch.randn(4, 3, 32, 32))
print(f"features: {tuple(features.shape)} channels per group: {channels // groups}")
