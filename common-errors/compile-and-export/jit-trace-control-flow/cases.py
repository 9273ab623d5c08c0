import torch
from torch import nn

torch.manual_seed(0)


class Computes(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


# %% a decision by the length
def pad(x):
    if x.shape[-1] < 8:
        x = nn.functional.pad(x, (0, 4))
    return x.mean()


model, other = Computes(pad), torch.rand(1, 12)
exported = torch.jit.trace(model, torch.rand(1, 6))

# %% the mean by hand
def mean(x):
    return x.sum() / len(x)


model, other = Computes(mean), torch.rand(12)
exported = torch.jit.trace(model, torch.rand(6))
# %% fixed
def mean(x):
    return x.sum() / x.shape[0]


model, other = Computes(mean), torch.rand(12)
exported = torch.jit.trace(model, torch.rand(6))

# %% a loop over the rows
def smooth(x):
    state = torch.zeros(4)
    for row in x:
        state = 0.9 * state + row
    return state


model, other = Computes(smooth), torch.rand(6, 4)
exported = torch.jit.trace(model, torch.rand(3, 4))

# %% a number for Python
def scale(x):
    return x * float(x.max())


model, other = Computes(scale), 3 * torch.rand(4)
exported = torch.jit.trace(model, torch.rand(4))

# %% as many positions as the input has
def positions(x):
    return x + torch.tensor(range(int(x.sum())))[-1]


model, other = Computes(positions), torch.full((4,), 9.0)
exported = torch.jit.trace(model, torch.full((4,), 2.0))

# %% message: an array of NumPy
def median(x):
    return x - torch.from_numpy(x.detach().numpy().copy()).median()


torch.jit.trace(Computes(median), torch.rand(5))

# %% right: operations that are recorded
def mean(x):
    return torch.where(x > 0.5, x, 0.0).sum() / x.shape[0]


model, other = Computes(mean), torch.rand(12)
exported = torch.jit.trace(model, torch.rand(6))

# %% right: a decision by a setting of the model
def head(x):
    return x.relu() if model_is_small else x.sigmoid()


model_is_small = True
model, other = Computes(head), torch.randn(12)
exported = torch.jit.trace(model, torch.rand(6))
