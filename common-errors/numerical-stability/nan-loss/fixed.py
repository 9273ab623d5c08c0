import torch
from torch import nn

torch.manual_seed(0)
readings = torch.randn(256, 4)
targets = readings @ torch.randn(4, 1)
readings[137, 2] = torch.nan  # an empty cell of a CSV file, which pandas reads as NaN
# Fill each gap with the mean of its column, before anything is computed from it.
inputs = torch.where(readings.isnan(), readings.nanmean(dim=0), readings)

model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

batches = zip(inputs.split(16) * 3, targets.split(16) * 3, strict=True)  # three epochs
for step, (batch, batch_targets) in enumerate(batches):
    loss = nn.functional.mse_loss(model(batch), batch_targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step={step} loss={loss.item():.4f}")

print(f"nan_parameters={sum(int(p.isnan().sum()) for p in model.parameters())}")
