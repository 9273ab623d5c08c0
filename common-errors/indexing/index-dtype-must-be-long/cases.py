import numpy as np
import torch

x = torch.rand(8, 4)

# %% an empty list of indices
index = torch.tensor([row for row in range(8) if row > 10])
kept = x[index]

# %% a small integer type
index = torch.tensor([0, 3], dtype=torch.int16)
rows = x[index]

# %% a mask of zeros and ones
index = torch.tensor([1.0, 0, 1, 0, 0, 1, 0, 1])
rows = x[index]

# %% half of the length
index = len(x) / 2
middle = x[index]

# %% gather with averaged positions
index = torch.tensor([[0.0], [2.0]])
values = x.gather(1, index)
# %% fixed
index = torch.tensor([[0.0], [2.0]]).long()
values = x.gather(1, index)

# %% message: take along a dimension
values = torch.take_along_dim(x, torch.zeros(8, 1), dim=1)
# %% fixed
values = torch.take_along_dim(x, torch.zeros(8, 1).long(), dim=1)

# %% message: take with int32
values = x.take(torch.tensor([0, 5], dtype=torch.int32))
# %% fixed
values = x.take(torch.tensor([0, 5], dtype=torch.int32).long())

# %% message: labels of a file as one-hot
labels, num_classes = torch.tensor([0.0, 2.0]), 3
targets = torch.nn.functional.one_hot(labels, num_classes)
# %% fixed
from torch.nn.functional import one_hot

labels, num_classes = torch.tensor([0.0, 2.0]), 3
targets = one_hot(labels.long(), num_classes)

# %% message: an attention mask of integers
scores = torch.rand(2, 4).masked_fill(torch.tensor([1, 1, 0, 0]), -1e9)
# %% fixed
scores = torch.rand(2, 4).masked_fill(torch.tensor([1, 1, 0, 0]).bool(), -1e9)

# %% message: masked_select with floats
values = x.masked_select((x > 0.5).float())
# %% fixed
values = x.masked_select((x > 0.5).float().bool())

# %% message: where with integers
values = torch.where(torch.tensor([1, 0, 1, 0]), x, 0.0)
# %% fixed
values = torch.where(torch.tensor([1, 0, 1, 0]).bool(), x, 0.0)

# %% message: a slice up to a float
half = x[: len(x) / 2]

# %% message: NumPy with floats
rows = np.zeros((8, 4))[np.array([0.0, 2.0])]

# %% right: int32, a mask and an empty index of integers
index = torch.tensor([0, 3], dtype=torch.int32)
rows = x[index], x[x[:, 0] > 0.5], x[torch.tensor([], dtype=torch.int64)]

# %% right: half of the length, as an integer
index = len(x) // 2
middle = x[index]
