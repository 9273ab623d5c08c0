import torch
from torch import nn


class ConvBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, kernel_size=7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels)
        self.expand = nn.Conv2d(channels, 4 * channels, kernel_size=1)
        self.reduce = nn.Conv2d(4 * channels, channels, kernel_size=1)

    def forward(self, images):
        features = self.depthwise(images)
        # LayerNorm normalizes the last dimension, so move the channels there and back.
        features = self.norm(features.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return images + self.reduce(nn.functional.gelu(self.expand(features)))


torch.manual_seed(0)
block = ConvBlock(32)
output = block(torch.randn(8, 32, 14, 14))
print(f"output: {tuple(output.shape)}")
norm_parameters = sum(weight.numel() for name, weight in block.named_parameters() if "norm" in name)
print(f"norm_parameters={norm_parameters}")
