import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, targets = torch.randn(16, 8), torch.randn(16, 1)

# The same batch every step, so the forward pass was moved out of the loop "to save time".
predictions = model(inputs)


def step_loss():
    return nn.functional.mse_loss(predictions, targets)


for step in range(3):
    loss = step_loss()
    optimizer.zero_grad()
    loss.backward()  # error
    optimizer.step()
    print(f"step={step} loss={loss.item():.4f}")
