import torch
from torch import nn

torch.manual_seed(0)
channels, groups = 80, 32
block = nn.Sequential(
    nn.Conv2d(3, channels, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.Conv2d(channels, 128, kernel_size=3, padding=1, groups=groups),  # error
)
features = block(torch.randn(4, 3, 32, 32))
print(f"features: {tuple(features.shape)} channels per group: {channels // groups}")
