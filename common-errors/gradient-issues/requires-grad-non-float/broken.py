import torch
from torch import nn


class ScaledClassifier(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.linear = nn.Linear(16, 3)
        self.scale = nn.Parameter(scale)  # error

    def forward(self, features):
        return self.scale * self.linear(features)


torch.manual_seed(0)
scale = torch.tensor(1)
model = ScaledClassifier(scale)
features, labels = torch.randn(8, 16), torch.randint(3, (8,))
nn.functional.cross_entropy(model(features), labels).backward()
print(f"gradient of scale: {model.scale.grad.item():.4f}")
