import torch
from torch import nn

torch.manual_seed(0)
# A machine in its first weeks: load, speed, and a switch that nobody has touched; its temperature is predicted.
load, speed = torch.rand(1000), 900 + 200 * torch.rand(1000)
temperature = 20 + 60 * load + 0.02 * (speed - 1000) + torch.randn(1000)
switch = torch.zeros(1000)
switch[800:] = (torch.rand(200) < 0.3).float()  # in the weeks after, it is on at times
table = torch.stack([load, speed, switch], dim=1)
targets = (temperature - temperature[:800].mean()) / temperature[:800].std()

mean, std = table[:800].mean(dim=0), table[:800].std(dim=0)
inputs = (table - mean) / (std + 1e-8)  # error
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for step in range(200):
    loss = nn.functional.mse_loss(model(inputs[:800])[:, 0], targets[:800])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

with torch.no_grad():
    val_loss = nn.functional.mse_loss(model(inputs[800:])[:, 0], targets[800:]).item()
print(f"train_loss={loss.item():.2f} largest_training_input={inputs[:800].abs().max().item():.1f}")
print(f"largest_validation_input={inputs[800:].abs().max().item():.0e}")
print(f"val_loss={val_loss:.1g}")
