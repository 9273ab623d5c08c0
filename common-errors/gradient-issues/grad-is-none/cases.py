import torch
from torch import nn

torch.manual_seed(0)
model = nn.ModuleDict({"body": nn.Linear(8, 16), "head": nn.Linear(16, 3), "other": nn.Linear(16, 1)})
batch, labels = torch.randn(16, 8), torch.randint(3, (16,))

# %% a head that the loss does not use
hidden = model["body"](batch)
nn.functional.cross_entropy(model["head"](hidden), labels).backward()
total = sum(p.grad.norm() for p in model.parameters())

# %% the path to the loss is detached
hidden = model["body"](batch).detach()
(model["head"](hidden).mean() + model["other"](hidden).mean()).backward()
for p in model.parameters():
    p.grad.data.clamp_(-1, 1)

# %% backward() was never called
loss = model["head"](model["body"](batch)).mean()
for p in model.parameters():
    p.grad.zero_()

# %% the gradient of an image that was moved into a batch
image = torch.rand(3, 4, 4, requires_grad=True).unsqueeze(0)
tensors = {"image": image}
image.square().sum().backward()
step = image.grad.sign()

# %% an update by hand replaces the weight
weight = torch.zeros(8, 1, requires_grad=True)
for step in range(2):
    (batch @ weight - 1).square().mean().backward()
    tensors = {"weight": weight}
    weight = weight - 0.1 * weight.grad
# %% fixed
w, lr = torch.zeros(8, 1, requires_grad=True), 0.1
for step in range(2):
    (batch @ w - 1).square().mean().backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad.zero_()
(batch @ w - 1).square().mean().backward()
tensors = {"w": w}

# %% message: gradients are scaled by hand
for p in model.parameters():
    p.grad *= 0.5

# %% message: a gradient is averaged over processes
flat = torch.cat([p.grad.view(-1) for p in model.parameters()])

# %% right: every parameter has a gradient
hidden = model["body"](batch).relu()
(model["head"](hidden).mean() + model["other"](hidden).mean()).backward()

# %% undecided: the body is frozen
model["body"].requires_grad_(False)
hidden = model["body"](batch)
(model["head"](hidden).mean() + model["other"](hidden).mean()).backward()
