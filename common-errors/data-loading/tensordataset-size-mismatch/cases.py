import numpy as np
import torch
from torch.utils.data import DataLoader, Subset, TensorDataset

# %% targets three hours ahead
hourly = torch.rand(200)
windows, targets = hourly.unfold(0, 12, 1), hourly[12 + 3 :]
tensors = (windows, targets)
dataset = TensorDataset(*tensors)
# %% fixed
hourly = torch.rand(200)
windows, targets = hourly[:-4].unfold(0, 12, 1), hourly[12 + 3 :]
tensors = (windows, targets)
print(*(len(tensor) for tensor in tensors))
dataset = TensorDataset(*tensors)

# %% rows with missing values dropped from the inputs
ages, incomes = torch.tensor([[31.0], [float("nan")], [54.0]]), torch.tensor([2.0, 3.5, 4.75])
tensors = (ages[~ages.isnan().any(dim=1)], incomes)
dataset = TensorDataset(*tensors)

# %% inputs and targets in the order of another function
X, y = torch.rand(100, 8), torch.rand(100)
X_train, y_train, X_test, y_test = X[:75], X[75:], y[:75], y[75:]  # a split that returns X, X, y, y
tensors = (X_train, y_train)
dataset = TensorDataset(*tensors)

# %% labels in one row
images, labels = torch.rand(16, 1, 28, 28), torch.randint(10, (1, 16))
tensors = (images, labels)
dataset = TensorDataset(*tensors)

# %% the masks of flattened sequences
tokens, masks, labels = torch.randint(99, (8, 20)), torch.ones(160), torch.zeros(8)
tensors = (tokens, masks, labels)
dataset = TensorDataset(*tensors)

# %% message: arrays of NumPy
inputs, targets = np.random.rand(10, 4), np.random.rand(10)
dataset = TensorDataset(inputs, targets)
# %% fixed
inputs, targets = np.random.rand(10, 4), np.random.rand(10)
dataset = TensorDataset(*(torch.from_numpy(array) for array in (inputs, targets)))

# %% message: a subset for another dataset
train, test = TensorDataset(torch.rand(80, 4)), TensorDataset(torch.rand(20, 4))
subset = Subset(test, range(70, 80))
next(iter(DataLoader(subset, batch_size=4)))
# %% fixed
tensor = torch.rand(20, 4)
subset = Subset(TensorDataset(tensor), range(10, len(tensor)))
next(iter(DataLoader(subset, batch_size=4)))

# %% right: three tensors of other shapes and types
tensors = (torch.randint(99, (8, 20)), torch.ones(8, 20, dtype=torch.bool), torch.zeros(8))
dataset = TensorDataset(*tensors)

# %% right: one tensor
tensors = (torch.rand(8, 3, 4),)
dataset = TensorDataset(*tensors)
