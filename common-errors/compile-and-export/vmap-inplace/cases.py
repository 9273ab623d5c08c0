import torch
from torch import nn

torch.manual_seed(0)
samples = torch.rand(6, 8)

# %% a product in a loop
def product(x):
    result = torch.ones(())
    for value in x:
        result *= value
    return result


function = product
torch.vmap(function)(samples)
# %% fixed
def product(x):
    result = torch.ones(())
    for value in x:
        result = result * value
    return result


function = product
torch.vmap(function)(samples)

# %% padding to a fixed length
def padded(x):
    row = torch.zeros(10)
    row[1:9] = x
    return row


function = padded
torch.vmap(function)(samples)

# %% one-hot of the largest
def hot(x):
    row = torch.zeros(8)
    row[x.argmax()] = 1.0
    return row


function = hot
torch.vmap(function)(samples)

# %% a histogram
def histogram(x):
    return torch.zeros(4).scatter_add_(0, (x * 4).long(), torch.ones(8))


function = histogram
torch.vmap(function)(samples)
# %% fixed
def histogram(x):
    counts = x.new_zeros(4)
    return counts.scatter_add_(0, (x * 4).long(), torch.ones(8))


function = histogram
torch.vmap(function)(samples)

# %% a record that is kept outside
history = torch.zeros(5)


def collect(x):
    history[0] = x.norm()
    return x / x.norm()


function = collect
torch.vmap(function)(samples)

# %% a mask
def clipped(x):
    row = torch.zeros(8)
    row.masked_fill_(x > 0.5, 1.0)
    return row


function = clipped
torch.vmap(function)(samples)

# %% a matrix for each pair
def outer(x):
    matrix = torch.eye(8)
    matrix.copy_(x[:, None] * x)
    return matrix


function = outer
torch.vmap(function)(samples)

# %% one model with batch normalization, several inputs
model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4))
samples = torch.rand(3, 6, 8)
function = model
torch.vmap(function)(samples)
# %% fixed
model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4))
torch.func.replace_all_batch_norm_modules_(model)
samples = torch.rand(3, 6, 8)
function = model
torch.vmap(function)(samples)

# %% message: a number put everywhere
torch.vmap(lambda x: torch.zeros(3).fill_(x.sum()))(samples)

# %% right: made from the sample
def padded(x):
    row = torch.zeros_like(x)
    row[1:] = x[:-1]
    return row


function = padded
torch.vmap(function)(samples)

# %% right: stacked
def rotation(x):
    return torch.stack([x[0].cos(), -x[0].sin(), x[0].sin(), x[0].cos()]).view(2, 2)


function = rotation
torch.vmap(function)(samples)
