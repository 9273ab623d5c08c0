import torch
from torch import nn


class SensorEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(6, 64)
        self.norm = nn.BatchNorm1d(64)

    def forward(self, readings):
        features = self.project(readings)
        # BatchNorm1d expects batch x features x steps.
        return self.norm(features.transpose(1, 2)).transpose(1, 2)


torch.manual_seed(0)
model = SensorEncoder()
# 32 recordings of 50 steps: acceleration with gravity on one axis, and rotation
readings = torch.randn(32, 50, 6) + torch.tensor([0.0, 0.0, 9.8, 0.0, 0.0, 0.0])
features = model(readings)
print(f"largest_feature_mean={features.mean(dim=(0, 1)).abs().max():.3f}")
