import torch
from torch import nn

torch.manual_seed(0)
samples = torch.rand(6, 8)

# %% a number for Python
def scale(x):
    return x * x.sum().item()


function = scale
torch.vmap(function)(samples)
# %% fixed
def scale(x):
    return x * x.sum()


function = scale
torch.vmap(function)(samples)

# %% as many elements as fit
def positive(x):
    return x[x > 0.5].sum()


function = positive
torch.vmap(function)(samples)

# %% a loop until it converges
def newton(x):
    root = x.clone()
    while (root * root - x).abs().max() > 1e-4:
        root = (root + x / root) / 2
    return root


function = newton
torch.vmap(function)(samples)

# %% a check of the values
def log(x):
    if x.min() <= 0:
        return x
    return x.log()


function = log
torch.vmap(function)(samples)

# %% an index from a tensor
names = list(range(8))


def best(x):
    return x * names[x.argmax()]


function = best
torch.vmap(function)(samples)

# %% the gradient of each sample
model = nn.Linear(8, 1)
parameters = dict(model.named_parameters())


def loss(x):
    output = torch.func.functional_call(model, parameters, (x,))
    return output.sum() if output > 0 else -output.sum()


function = torch.func.grad(loss)
torch.vmap(function)(samples)

# %% the elements of a mask
function = lambda x: x.masked_select(x > 0.5).sum()
torch.vmap(function)(samples)

# %% message: a loss that is printed
def printed(x):
    total = x.square().sum()
    print("loss", total.item())
    return total


torch.vmap(torch.func.grad(printed))(samples)


# %% fixed
def returned(x):
    total = x.square().sum()
    return total, total


gradients, losses = torch.vmap(torch.func.grad(returned, has_aux=True))(samples)
print("loss", losses.mean().item())

# %% message: losses that are collected
losses = []


def collected(x):
    losses.append(x.square().sum().item())
    return x * 2


torch.vmap(collected)(samples)
# %% fixed
doubled, losses = torch.vmap(lambda x: (x * 2, x.square().sum()))(samples)

# %% message: a comparison with one answer
torch.vmap(lambda x: x if torch.allclose(x, x.round()) else x.round())(samples)


# %% fixed
def rounded(a):
    b = a.round()
    return torch.where(torch.isclose(a, b).all(), a, b)


torch.vmap(rounded)(samples)

# %% message: elements that are not zero
torch.vmap(torch.nonzero)(samples)

# %% right: the same choices without a decision
def smooth(x):
    return torch.where(x > 0.5, x, 0.0).sum() * x.sum()


function = smooth
torch.vmap(function)(samples)

# %% right: a decision by the shape
def half(x):
    return x[: len(x) // 2] if x.shape[0] > 4 else x


function = half
torch.vmap(function)(samples)
