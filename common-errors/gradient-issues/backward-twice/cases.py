import torch
from torch import nn

torch.manual_seed(0)

# %% a hidden state is carried to the next batch
rnn, hidden = nn.GRU(8, 32), torch.zeros(1, 16, 32)
losses = []
for batch in torch.randn(3, 5, 16, 8):
    output, hidden = rnn(batch, hidden)
    losses.append(output.square().mean())
    first, second = losses[0], losses[-1]
    losses[-1].backward()

# %% two losses share a forward pass
body, head, other = nn.Linear(8, 16), nn.Linear(16, 3), nn.Linear(16, 1)
features = body(torch.randn(4, 8)).relu()
first, second = head(features).square().mean(), other(features).square().mean()
first.backward()
second.backward()

# %% a matrix that is computed from a parameter once
raw = nn.Parameter(torch.randn(8, 8))
rotation = raw.exp()
first, second = ((torch.randn(4, 8) @ rotation).square().mean() for _ in range(2))
first.backward()
second.backward()

# %% features of a frozen model that still record a graph
backbone, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 1)
features = backbone(torch.randn(4, 8))
step_loss = lambda: head(features).square().mean()
step_loss().backward()
step_loss().backward()

# %% a graph of thousands of operations
cell, state = nn.RNNCell(4, 4), torch.zeros(2, 4)
for value in torch.randn(1500, 2, 4):
    state = cell(value, state)
first, second = state.mean(), state.square().mean()
first.backward()
second.backward()

# %% message: rows of a Jacobian without retain_graph
x = torch.randn(3, requires_grad=True)
y = x.sin()
rows = [torch.autograd.grad(y[i], x) for i in range(3)]

# %% message: a running average of losses
layer, average = nn.Linear(8, 1), torch.zeros(())
for batch in torch.randn(3, 4, 8):
    average = 0.9 * average + 0.1 * layer(batch).square().mean()
    average.backward()

# %% message: the discriminator's step goes back into the generator
generator, discriminator = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1)
fake = generator(torch.randn(16, 4))
discriminator(fake).square().mean().backward()
(-discriminator(fake)).square().mean().backward()

# %% message: a gradient twice from autograd.grad
x = torch.randn(4, requires_grad=True)
energy = x.sin().sum()
force = torch.autograd.grad(energy, x)
again = torch.autograd.grad(energy, x)

# %% message: saved tensors are read after backward()
x = torch.randn(4, requires_grad=True)
y = x.exp()
y.sum().backward()
print(y.grad_fn._saved_result)

# %% right: a hidden state is detached
rnn, hidden = nn.GRU(8, 32), torch.zeros(1, 16, 32)
losses = []
for batch in torch.randn(3, 5, 16, 8):
    output, hidden = rnn(batch, hidden.detach())
    losses.append(output.square().mean())
    losses[-1].backward()
first, second = losses[:2]

# %% right: what two steps share saves no tensors
weights, targets = nn.Parameter(torch.randn(8)), torch.randn(4, 8)
shifted = weights + 1
step_loss = lambda: (shifted - targets).square().mean()
step_loss().backward()
step_loss().backward()

# %% right: two steps with the same model and the same batch
model, batch = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)), torch.randn(4, 8)
step_loss = lambda: model(batch).square().mean()
step_loss().backward()
step_loss().backward()
