import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        # With a 3x3 kernel, padding=1 keeps height and width.
        self.conv1 = nn.Conv2d(channels, channels, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, kernel_size=3, padding=1)

    def forward(self, images):
        features = torch.relu(self.conv1(images))
        features = self.conv2(features)
        return torch.relu(images + features)


torch.manual_seed(0)
block = ResidualBlock(channels=16)
images = torch.randn(8, 16, 32, 32)
outputs = block(images)
print(f"outputs: {tuple(outputs.shape)}")
