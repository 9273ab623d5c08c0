import torch
from torch import nn

torch.manual_seed(2)
inputs = torch.randn(600, 6)  # weather of 600 days, standardized
targets = inputs[:, :1] + inputs[:, 1:2] * inputs[:, 2:3]  # change of the temperature until tomorrow
train_inputs, train_targets = inputs[:500], targets[:500]
val_inputs, val_targets = inputs[500:], targets[500:]

model = nn.Sequential(
    nn.Linear(6, 64),
    nn.ReLU(),
    nn.Linear(64, 64),
    nn.ReLU(),
    nn.Linear(64, 1),  # no activation: the targets can be negative
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)

for step in range(201):
    outputs = model(train_inputs)
    loss = nn.functional.mse_loss(outputs, train_targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step={step} loss={loss.item():.3f}")

with torch.no_grad():
    error = nn.functional.mse_loss(model(val_inputs), val_targets)
print(f"unexplained={error.item() / val_targets.var().item():.3f}")
