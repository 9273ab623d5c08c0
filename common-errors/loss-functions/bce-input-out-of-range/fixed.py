import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(64, 10)
spam = (features[:, 0] > 0).float()

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
loss_fn = nn.BCEWithLogitsLoss()  # takes logits and applies the sigmoid itself
loss = loss_fn(model(features).squeeze(1), spam)
print(f"loss={loss.item():.3f}")
