import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
batch, labels = torch.randn(16, 8), torch.randint(3, (16,))
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))

# %% every parameter is frozen
model.requires_grad_(False)
loss = nn.functional.cross_entropy(model(batch), labels)
loss.backward()

# %% the loss counts wrong classes
loss = (model(batch).argmax(dim=1) != labels).float().mean()
loss.backward()

# %% the forward pass runs in inference mode
with torch.inference_mode():
    scores = model(batch)
loss = scores.sum()
loss.backward()

# %% gradient checkpointing with a frozen base
model[0].requires_grad_(False)
loss = checkpoint(model[2], model[0](batch), use_reentrant=True).mean()
loss.backward()

# %% a gradient penalty without create_graph
batch.requires_grad_()
(gradient,) = torch.autograd.grad(model(batch).sum(), batch)
loss = gradient.norm(dim=1).sub(1).square().mean()
loss.backward()

# %% message: a second derivative
batch.requires_grad_()
(first,) = torch.autograd.grad(model(batch).sum(), batch)
(second,) = torch.autograd.grad(first.sum(), batch)
# %% fixed
model, batch = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 3)), torch.randn(16, 8, requires_grad=True)
(first,) = torch.autograd.grad(model(batch).sum(), batch, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), batch, create_graph=True)
loss = second.square().mean()


# %% message: a tensor hook in an evaluation
def keep(module, inputs, output):
    output.register_hook(print)


model[0].register_forward_hook(keep)
with torch.no_grad():
    model(batch)


# %% fixed
def keep(module, inputs, output):
    if output.requires_grad:
        output.register_hook(print)


model[0].register_forward_hook(keep)
with torch.no_grad():
    model(batch)
loss = model(batch).mean()

# %% message: the second of two losses is cut
first = nn.functional.cross_entropy(model(batch), labels)
torch.autograd.backward([first, torch.tensor(first.item())])

# %% right: only the last layer is trained
model[0].requires_grad_(False)
loss = nn.functional.cross_entropy(model(batch), labels)
loss.backward()

# %% right: the gradient of an input of a frozen model
model.requires_grad_(False)
loss = model(batch.requires_grad_()).square().mean()
loss.backward()
