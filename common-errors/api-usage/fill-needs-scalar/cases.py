import torch
from torch import nn

# %% one value for each class
target, value = nn.Linear(16, 4).bias, torch.tensor([0.1, 0.2, 0.3, 0.4])
nn.init.constant_(target, value)
# %% fixed
target, value = nn.Linear(16, 4).bias, torch.tensor([0.1, 0.2, 0.3, 0.4])
target.detach().copy_(value)
value = value.sum()

# %% a learning rate kept in a tensor
target, value = torch.ones(3, 3), torch.full((1,), 0.01)
target.fill_(value)
# %% fixed
target, value = torch.ones(3, 3), torch.full((1,), 0.01)
target.fill_(value.item())
value = value.item()

# %% a mask, filled with the mean of each row
target = torch.randn(4, 8)
value = target.mean(dim=1, keepdim=True)
target = target.masked_fill(target > 2, value)
# %% fixed
target = torch.randn(4, 8)
value = target.mean(dim=1, keepdim=True)
target = torch.where(target > 2, value, target)
value = 0.0

# %% rows of a table, filled with a vector
target, value = torch.zeros(5, 3), torch.tensor([1.0, 2.0, 3.0])
target.index_fill_(0, torch.tensor([1, 4]), value)
# %% fixed
target, value = torch.zeros(5, 3), torch.tensor([1.0, 2.0, 3.0])
rows = torch.tensor([1, 4])
target[rows] = value
value = 0.0

# %% the padding, filled with an embedding
target, value = torch.zeros(2, 6, 4), torch.randn(4)
padding = torch.zeros(2, 6, 1, dtype=torch.bool)
target.masked_fill_(padding, value)
# %% fixed
target, value = torch.zeros(2, 6, 4), torch.randn(4)
padding = torch.zeros(2, 6, 1, dtype=torch.bool)
target = torch.where(padding, value, target)
value = 0.0

# %% right: a tensor without dimensions
target, value = torch.zeros(2, 3), torch.tensor(0.5)
target.fill_(value)

# %% right: a number
target, value = torch.zeros(2, 3), 1.5
target.masked_fill_(target == 0, value)
