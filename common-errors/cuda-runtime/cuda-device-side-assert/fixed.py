import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(16, 10).to("cuda")
features = torch.randn(64, 16)
labels = torch.arange(64) % 10 + 1  # the file numbers its classes from 1 to 10
labels = labels - 1  # PyTorch counts classes from 0

logits = model(features.to("cuda"))
loss = nn.functional.cross_entropy(logits, labels.to("cuda"))
print(f"loss={loss.item():.4f}")
