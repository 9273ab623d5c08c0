import torch
from torch import nn

torch.manual_seed(0)
# Is a point of the plane in the ring between two circles?
points = 2 * torch.rand(1500, 2) - 1
labels = ((points.norm(dim=1) - 0.65).abs() < 0.2).long()

model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
for layer in model:
    if isinstance(layer, nn.Linear):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")  # each unit its own
        nn.init.zeros_(layer.bias)

optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(20):
    for batch in torch.randperm(1200).split(50):
        loss = nn.functional.cross_entropy(model(points[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch={epoch} loss={loss.item():.2f}")

with torch.no_grad():
    predicted = model(points[1200:]).argmax(1)
print(f"error_rate={(predicted != labels[1200:]).float().mean().item():.2f}")
