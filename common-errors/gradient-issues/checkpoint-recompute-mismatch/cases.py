import random

import torch
from torch import nn
from torch.utils.checkpoint import GraphExecGroup, checkpoint

torch.manual_seed(0)
random.seed(1)

# %% a layer that is skipped at random
layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
function = lambda x: layers[1](x).relu() if random.random() < 0.5 else layers[0](x).tanh().sigmoid().relu()
args = (torch.randn(4, 8, requires_grad=True),)
for _ in range(20):
    checkpoint(function, *args, use_reentrant=False).sum().backward()

# %% a key-value cache that grows in the second run
project, keys = nn.Linear(8, 8), []


def function(x):
    keys.append(project(x).detach())
    return (x @ torch.cat(keys).T).softmax(dim=1)


args = (torch.randn(4, 8, requires_grad=True),)
checkpoint(function, *args, use_reentrant=False).square().sum().backward()

# %% message: a module in eval mode before backward()
model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
outputs = checkpoint(model, torch.randn(4, 8, requires_grad=True), use_reentrant=False)
model.eval()
outputs.sum().backward()

# %% message: a number that is an attribute
scale = nn.Linear(8, 8)
scale.precision = torch.float64
outputs = checkpoint(lambda x: (scale(x).to(scale.precision) ** 3).float(), torch.randn(4, 8), use_reentrant=False)
scale.precision = torch.bfloat16
outputs.sum().backward()

# %% message: images are flattened at random
encode = nn.Linear(8, 8)
function = lambda x: encode(x.flatten(0, 1) if random.random() < 0.5 else x).tanh()
for _ in range(20):
    checkpoint(function, torch.randn(2, 4, 8, requires_grad=True), use_reentrant=False).sum().backward()

# %% message: a frozen weight is emptied after use, as under ZeRO-3
norm = nn.LayerNorm(8, bias=False).requires_grad_(False)
norm.whole = norm.weight.data
norm.register_forward_pre_hook(lambda layer, *_: setattr(layer.weight, "data", layer.whole))
norm.register_full_backward_pre_hook(lambda layer, *_: setattr(layer.weight, "data", layer.whole))
norm.register_forward_hook(lambda layer, *_: setattr(layer.weight, "data", torch.empty(0)))
block = nn.Sequential(norm, nn.Linear(8, 8), nn.Tanh())
checkpoint(block, torch.randn(4, 8, requires_grad=True), use_reentrant=False).sum().backward()
# %% fixed
norm = nn.LayerNorm(8, bias=False).requires_grad_(False)
norm.whole = norm.weight.data
norm.register_forward_pre_hook(lambda layer, *_: setattr(layer.weight, "data", layer.whole))
norm.register_full_backward_pre_hook(lambda layer, *_: setattr(layer.weight, "data", layer.whole))
norm.register_forward_hook(lambda layer, *_: setattr(layer.weight, "data", torch.empty(0)))
block = nn.Sequential(norm, nn.Linear(8, 8), nn.Tanh())
checkpoint(block, torch.randn(4, 8, requires_grad=True), use_reentrant=True).sum().backward()

# %% message: a custom function that unpacks twice
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.saved_tensors[1], gradient * ctx.saved_tensors[0]


x, weight = torch.randn(4, requires_grad=True), torch.randn(4, requires_grad=True)
checkpoint(Scale.apply, x, weight, use_reentrant=False).sum().backward()
# %% fixed
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        return gradient * weight, gradient * x


x, weight = torch.randn(4, requires_grad=True), torch.randn(4, requires_grad=True)
checkpoint(Scale.apply, x, weight, use_reentrant=False).sum().backward()

# %% message: two backward passes in one group
x = torch.randn(4, requires_grad=True)
loss = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False).sum()
with GraphExecGroup():
    loss.backward(retain_graph=True)
    loss.backward()

# %% right: dropout is repeated in the second run
function, args = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.ReLU()), (torch.randn(4, 8, requires_grad=True),)
checkpoint(function, *args, use_reentrant=False).sum().backward()

# %% right: a layer drop that draws from torch
layer = nn.Linear(8, 8)
function = lambda x: x if torch.rand(()) < 0.5 else x + layer(x).relu()
args = (torch.randn(4, 8, requires_grad=True),)
for _ in range(20):
    checkpoint(function, *args, use_reentrant=False).sum().backward()
