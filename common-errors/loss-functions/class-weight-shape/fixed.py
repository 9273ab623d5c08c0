import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(20, 5)
features = torch.randn(10, 20)
# Five classes, but the rarest one, number 4, is not in this part of the data.
labels = torch.tensor([0, 2, 1, 0, 2, 1, 0, 0, 3, 2])

# bincount stops at the largest label that occurs; minlength counts the other classes, too.
counts = torch.bincount(labels, minlength=5)
weights = len(labels) / counts.clamp(min=1)
criterion = nn.CrossEntropyLoss(weight=weights)

logits = model(features)
loss = criterion(logits, labels)
print(f"weights: {len(weights)} classes: {logits.shape[1]}")
