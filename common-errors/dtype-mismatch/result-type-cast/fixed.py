import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(64, 12)
churned = torch.tensor([0, 1] * 32).float()  # BCE targets are probabilities, so they must be floats

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
loss_fn = nn.BCEWithLogitsLoss()
logits = model(features).squeeze(1)
loss = loss_fn(logits, churned)
print(f"loss={loss.item():.3f}")
