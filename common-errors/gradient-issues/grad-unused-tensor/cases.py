import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))

# %% a copy is made after the forward pass
points = torch.rand(8, 3, requires_grad=True)
u = model(points)
output, inputs = u, [points.clone()]
torch.autograd.grad(output.sum(), inputs)

# %% the head of another task
body, price, size = nn.Linear(3, 8), nn.Linear(8, 1), nn.Linear(8, 1)
output = price(body(torch.rand(4, 3))).mean()
inputs = [*body.parameters(), *price.parameters(), *size.parameters()]
torch.autograd.grad(output, inputs)

# %% the second derivative of a linear model
x = torch.rand(8, 3, requires_grad=True)
(output,) = torch.autograd.grad(nn.Linear(3, 1)(x).sum(), x, create_graph=True)
inputs = [x]
torch.autograd.grad(output.sum(), inputs)

# %% data that requires no gradients
t, x = torch.rand(8, 1), torch.rand(8, 2)
output, inputs = model(torch.cat([t, x], dim=1)), [t]
torch.autograd.grad(output.sum(), inputs)
# %% fixed
t, x = torch.rand(8, 1).requires_grad_(), torch.rand(8, 2)
output, inputs = model(torch.cat([t, x], dim=1)), [t]
torch.autograd.grad(output.sum(), inputs)

# %% message: one of two halves of an input
left, right = torch.rand(8, 6, requires_grad=True).chunk(2, dim=1)
torch.autograd.grad(model(left).sum(), [left, right])

# %% message: a frozen layer in the inner loop
model[0].requires_grad_(False)
torch.autograd.grad(model(torch.rand(8, 3)).mean(), list(model.parameters()))
# %% fixed
model[0].requires_grad_(False)
data = torch.rand(8, 3).requires_grad_()
torch.autograd.grad(model(data).mean(), [p for p in model.parameters() if p.requires_grad])

# %% right: slices that the output was computed from
t, x = torch.rand(8, 3, requires_grad=True).split([1, 2], dim=1)
output, inputs = model(torch.cat([t, x], dim=1)), [t, x]
torch.autograd.grad(output.sum(), inputs)

# %% right: every parameter of a model
output, inputs = model(torch.rand(8, 3)).mean(), list(model.parameters())
torch.autograd.grad(output, inputs)
