import numpy as np
import torch
from torch import nn

torch.manual_seed(0)

# %% a decoded image
tensor = torch.randint(256, (3, 8, 8), dtype=torch.uint8)
tensor.requires_grad_()
# %% fixed
tensor = torch.randint(256, (3, 8, 8), dtype=torch.uint8).float()
tensor.requires_grad_()

# %% an array of integers as initial weights
tensor = torch.from_numpy(np.arange(6).reshape(2, 3))
weight = nn.Parameter(tensor)

# %% a mask as a parameter
tensor = torch.ones(8, 8).tril() > 0
mask = nn.Parameter(tensor)

# %% token ids
tensor = torch.tensor([[17, 4, 250]])
tensor.requires_grad = True

# %% message: a literal without a point
scale = torch.tensor([1, 2, 3], requires_grad=True)

# %% message: a model with a frozen counter is unfrozen
model = nn.Linear(8, 2)
model.steps = nn.Parameter(torch.tensor(0), requires_grad=False)
model.requires_grad_(True)

# %% right: a half-precision parameter
tensor = torch.ones(8, dtype=torch.float16)
weight = nn.Parameter(tensor)

# %% right: a complex parameter
tensor = torch.ones(8, dtype=torch.complex64)
weight = nn.Parameter(tensor)
