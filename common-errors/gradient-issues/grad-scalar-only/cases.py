import torch
from torch import nn

torch.manual_seed(0)
model, batch = nn.Linear(8, 3), torch.randn(16, 8)

# %% backward() on the output of the model
loss = model(batch)
loss.backward()

# %% a mask that selects nothing
losses = model(batch).square().mean(dim=1)
loss = losses[losses < 0]
loss.backward()

# %% a complex loss
a, b = torch.fft.fft(model(batch)), torch.fft.fft(torch.rand(16, 3))
loss = ((a - b) ** 2).mean()
loss.backward()
# %% fixed
a, b = torch.fft.fft(model(batch)), torch.fft.fft(torch.rand(16, 3))
loss = ((a - b).abs() ** 2).mean()
loss.backward()

# %% one loss per GPU, as DataParallel gathers them
loss = torch.stack([model(part).square().mean() for part in batch.chunk(2)])
loss.backward()

# %% message: derivatives with respect to inputs
points = torch.rand(4, 1, requires_grad=True)
torch.autograd.grad(points**2, points)

# %% message: a function for torch.func.grad that returns a vector
torch.func.grad(lambda x: torch.tanh(model(x)))(batch[0])
# %% fixed
torch.func.jacrev(lambda x: torch.tanh(model(x)))(batch[0])
torch.func.grad(lambda x: torch.tanh(model(x)).sum())(batch[0])

# %% message: a gradient of the wrong shape
outputs = model(batch)
outputs.backward(torch.ones(16))

# %% right: a loss of shape (1, 1)
loss = model(batch).square().mean().reshape(1, 1)
loss.backward()
