import torch
from torch import nn

# %% a loss that is wrapped once more
source = nn.Linear(4, 1)(torch.randn(8, 4)).mean()
call = lambda: torch.tensor(source)
loss = call()

# %% a start for another optimization, with gradients
source = torch.randn(3)
call = lambda: torch.tensor(source, requires_grad=True)
start = call()

# %% a tensor of labels converted to another dtype
source = torch.tensor([0, 1, 1])
call = lambda: torch.tensor(source, dtype=torch.float32)
labels = call()

# %% message: new_tensor
x = torch.randn(3)
other = torch.zeros(2).new_tensor(x)

# %% message: a parameter
weight = nn.Parameter(torch.tensor(torch.ones(3)))

# %% right: a list of numbers
source = [0.5, 1.5]
call = lambda: torch.tensor(source)
values = call()

# %% right: as_tensor of a tensor
source = torch.randn(3)
call = lambda: torch.as_tensor(source)
values = call()
