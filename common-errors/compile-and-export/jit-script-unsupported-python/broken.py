import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(32, 32) for _ in range(3)])
        self.head = nn.Linear(32, 10)

    def forward(self, features):
        for index in range(3):
            features = torch.relu(self.blocks[index](features))
        return self.head(features)


torch.manual_seed(0)
model = Classifier()
features = torch.randn(4, 32)
print("in Python:", tuple(model(features).shape))
scripted = torch.jit.script(model)  # error
print("scripted:", tuple(scripted(features).shape))
