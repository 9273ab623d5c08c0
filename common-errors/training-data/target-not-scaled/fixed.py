import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# 1000 houses with 8 standardized features; prices in dollars.
features = torch.randn(1000, 8)
prices = 300_000 + 60_000 * features[:, :1] + 40_000 * features[:, 1:2] * features[:, 2:3]
loader = DataLoader(TensorDataset(features[:800], prices[:800]), batch_size=32, shuffle=True)

mean, std = prices[:800].mean(), prices[:800].std()
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

for epoch in range(20):
    for batch, target in loader:
        target = (target - mean) / std  # about 1 in size
        loss = nn.functional.mse_loss(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch={epoch} loss={loss.item():.2g}")

with torch.no_grad():
    predicted = model(features[800:]) * std + mean  # dollars again
rmse = (predicted - prices[800:]).square().mean().sqrt()
print(f"error_in_std={rmse.item() / prices[:800].std().item():.2f}")
