import torch
from torch import nn

torch.manual_seed(0)
# 1,000 houses with eight standardized features.
features = torch.randn(1000, 8)
prices = features @ torch.tensor([3.0, 2.0, -2.0, 1.0, 1.0, -1.0, 0.5, 0.5]) + 0.1 * torch.randn(1000)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def train_step():
    predictions = model(features)
    errors = predictions - prices  # error
    loss = errors.abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item(), errors.nbytes


for step in range(200):
    loss, size = train_step()
    if step % 50 == 0:
        print(f"step={step} loss={loss:.2f} errors_kib={size / 2**10:.0f}")

with torch.no_grad():
    mean_error = (model(features).flatten() - prices).abs().mean()
print(f"mean_error={mean_error.item():.3f}")
