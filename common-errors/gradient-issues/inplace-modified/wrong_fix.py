import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        hidden = torch.relu(self.linear(x))
        hidden.data += x  # error
        return hidden


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), ResidualBlock(32), ResidualBlock(32), nn.Linear(32, 1))
model.double()  # for the check below
inputs, targets = torch.randn(64, 8).double(), torch.randn(64, 1).double()
loss_fn = nn.MSELoss()
loss_fn(model(inputs), targets).backward()

# The slope of the loss along the gradient of the first layer: from autograd, and from two values of the loss.
weight = model[0].weight
slope = weight.grad.norm().item()
with torch.no_grad():
    step = 1e-6 * weight.grad / slope
    weight += step
    loss_ahead = loss_fn(model(inputs), targets).item()
    weight -= 2 * step
    loss_behind = loss_fn(model(inputs), targets).item()
measured_slope = (loss_ahead - loss_behind) / 2e-6
print(f"slope={slope:.4f} measured_slope={measured_slope:.4f}")
print(f"gradient_error={abs(slope - measured_slope) / abs(measured_slope):.2g}")
