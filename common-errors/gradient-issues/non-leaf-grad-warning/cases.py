import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
batch = torch.randn(4, 8)

# %% a weight is scaled when it is created
tensor = torch.randn(8, 3, requires_grad=True) * 0.01
(batch @ tensor).square().mean().backward()
print(tensor.grad)

# %% the gradient of an activation
tensor = model[0](batch)
model[2](model[1](tensor)).sum().backward()
print(tensor.grad)

# %% an input is cast after requires_grad
tensor = torch.randn(4, 8, dtype=torch.float64, requires_grad=True).float()
model(tensor).sum().backward()
print(tensor.grad is None)

# %% message: an update by hand
weight = torch.zeros(8, 3, requires_grad=True)
(batch @ weight - 1).square().mean().backward()
weight = weight - 0.1 * weight.grad
(batch @ weight - 1).square().mean().backward()
print(weight.grad)

# %% message: the gradient of a loss
loss = model(batch).square().mean()
loss.backward()
print(loss.grad)

# %% right: retain_grad() on an activation
tensor = model[0](batch)
tensor.retain_grad()
model[2](model[1](tensor)).sum().backward()
print(tensor.grad.shape)

# %% right: a leaf that no backward() has reached
tensor = torch.randn(4, 8, requires_grad=True)
print(tensor.grad)
