from collections import OrderedDict

import torch
from torch import nn

torch.manual_seed(0)
labels = torch.arange(400) % 4
features = 2 * torch.randn(4, 16)[labels] + torch.randn(400, 16)

# Stands in for a pretrained model: the backbone is frozen, and the last layer, for 1000 classes, is replaced.
backbone = nn.Sequential(nn.Linear(16, 128), nn.ReLU())
model = nn.Sequential(OrderedDict(backbone=backbone, fc=nn.Linear(128, 1000)))
model.backbone.requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # error
model.fc = nn.Linear(128, 4)

for step in range(30):
    loss = nn.functional.cross_entropy(model(features), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step={step} loss={loss.item():.4f}")

print(f"final_loss={loss.item():.4f}")
