import torch
from torch import nn

torch.manual_seed(0)
# Flats: area in square metres, rooms, year of construction, kilometres to the centre.
area, year, km = 30 + 170 * torch.rand(500), 1900 + 120 * torch.rand(500), 30 * torch.rand(500)
rooms = torch.randint(1, 7, (500,))
features = torch.stack([area, rooms, year, km], dim=1)
prices = 4 * area + 15 * rooms + 0.5 * year - 3 * km - 0.05 * area * km + 10 * torch.randn(500)
targets = ((prices - prices.mean()) / prices.std()).unsqueeze(1)

inputs = (features - features.mean(dim=0)) / features.std(dim=0)  # every column: mean 0, deviation 1
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

for step in range(301):
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step={step} loss={loss.item():.4g}")

print(f"final_loss={loss.item():.4g}")
