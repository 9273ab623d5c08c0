import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(16, 16), nn.ReLU()) for _ in range(depth))
        self.head = nn.Linear(16, 1)

    def forward(self, features):
        features = self.blocks(features)  # error
        return self.head(features)


torch.manual_seed(0)
model = Regressor()
inputs = torch.randn(8, 16)
prices = model(inputs)
print(f"prices: {tuple(prices.shape)}")
