import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(64, 12)
churned = torch.tensor([0, 1] * 32)  # read from a CSV: whole numbers become int64

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
loss_fn = nn.BCEWithLogitsLoss()
logits = model(features).squeeze(1)
loss = loss_fn(logits, churned)  # error
print(f"loss={loss.item():.3f}")
