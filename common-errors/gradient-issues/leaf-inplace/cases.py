import torch
from torch import nn

torch.manual_seed(0)

# %% an image is changed by an attack
tensor, recorded = torch.rand(3, 8, 8, requires_grad=True), torch.is_grad_enabled()
tensor.square().sum().backward()
tensor += 0.01 * tensor.grad.sign()
# %% fixed
tensor = torch.rand(3, 8, 8, requires_grad=True)
tensor.square().sum().backward()
with torch.no_grad():
    recorded = torch.is_grad_enabled()
    tensor += 0.01 * tensor.grad.sign()

# %% rows of an embedding are set
tensor, recorded = nn.Embedding(100, 8).weight, torch.is_grad_enabled()
tensor[3] = torch.ones(8)
# %% fixed
tensor = nn.Embedding(100, 8).weight
with torch.no_grad():
    recorded = torch.is_grad_enabled()
    tensor[3] = torch.ones(8)

# %% message: the inner step of MAML
model = nn.Linear(3, 1)
x, lr = torch.randn(5, 3), 0.1
grads = torch.autograd.grad(model(x).square().mean(), model.parameters(), create_graph=True)
for p, g in zip(model.parameters(), grads):
    p -= lr * g
# %% fixed
model = nn.Linear(3, 1)
x, lr = torch.randn(5, 3), 0.1
grads = torch.autograd.grad(model(x).square().mean(), model.parameters(), create_graph=True)
fast = {n: p - lr * g for (n, p), g in zip(model.named_parameters(), grads)}
torch.func.functional_call(model, fast, (x,)).square().mean().backward()

# %% message: weights are initialized by a method
nn.Linear(8, 4).weight.normal_(0, 0.02)

# %% message: an in-place ReLU on an input that requires gradients
features = torch.randn(4, 8, requires_grad=True)
model = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(8, 2))
model(features)

# %% message: the first pixel of an input is masked
image = torch.rand(3, 8, 8, requires_grad=True)
image[:, 0, 0] = 0
# %% fixed
x = torch.rand(3, 8, 8, requires_grad=True)
x = x.clone()
x[:, 0, 0] = 0
x.sum().backward()

# %% message: biases are set as detection heads do it
conv = nn.Conv2d(8, 12, 1)
conv.bias.view(3, -1)[:, 0] += 0.5
# %% fixed
conv = nn.Conv2d(8, 12, 1)
with torch.no_grad():
    conv.bias.view(3, -1)[:, 0] += 0.5

# %% right: a leaf under no_grad
tensor = nn.Linear(8, 4).weight
with torch.no_grad():
    recorded = torch.is_grad_enabled()
    tensor.mul_(0.5)

# %% right: a buffer, which requires no gradients
tensor, recorded = torch.zeros(8), torch.is_grad_enabled()
tensor += 1
