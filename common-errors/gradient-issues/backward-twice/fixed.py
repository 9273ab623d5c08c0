import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, targets = torch.randn(16, 8), torch.randn(16, 1)


def step_loss():
    # The weights change at every step, so every step needs a forward pass of its own.
    predictions = model(inputs)
    return nn.functional.mse_loss(predictions, targets)


for step in range(3):
    loss = step_loss()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step={step} loss={loss.item():.4f}")
