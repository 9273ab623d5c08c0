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
