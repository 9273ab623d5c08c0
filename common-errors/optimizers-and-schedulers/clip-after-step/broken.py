import torch
from torch import nn

torch.manual_seed(0)
# Sensor readings, of which one in a hundred is a fault of the sensor.
inputs = torch.randn(1200, 10)
targets = inputs[:, 0] + inputs[:, 1] * inputs[:, 2]
readings = torch.where(torch.rand(1200) < 0.01, 300.0, targets)

model = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train_step(batch):
    loss = nn.functional.mse_loss(model(inputs[batch])[:, 0], readings[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # error


for epoch in range(20):
    for batch in torch.randperm(1000).split(20):
        train_step(batch)
    if epoch % 5 == 4:
        with torch.no_grad():
            error = (model(inputs[1000:])[:, 0] - targets[1000:]).abs().mean().item()
        print(f"epoch={epoch} error={error:.1f}")
print(f"mean_error={error:.2f}")
