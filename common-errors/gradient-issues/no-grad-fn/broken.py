import torch
from torch import nn

torch.manual_seed(0)
# One network predicts two values from eight sensor readings.
readings = torch.randn(64, 8)
temperature, humidity = (readings @ torch.randn(8, 2)).T

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loss_fn = nn.MSELoss()

for step in range(200):
    predictions = model(readings)
    losses = [
        loss_fn(predictions[:, 0], temperature).item(),
        loss_fn(predictions[:, 1], humidity).item(),
    ]
    loss = torch.tensor(losses).mean()
    optimizer.zero_grad()
    loss.backward()  # error
    optimizer.step()
    if step % 20 == 0:
        print(f"step={step} loss={loss.item():.4f}")

print(f"final_loss={loss.item():.4f}")
