import numpy as np
import torch

# %% a mask of valid pixels
mask = np.zeros((4, 8), dtype=np.bool8)
valid = torch.from_numpy(mask)
# %% fixed
mask = np.zeros((4, 8), dtype=np.bool_)
valid = torch.from_numpy(mask)

# %% boxes in a data set of detections
boxes = np.array([[0.1, 0.2, 0.5, 0.6]], dtype=np.float)
targets = torch.from_numpy(boxes)
# %% fixed
boxes = np.array([[0.1, 0.2, 0.5, 0.6]], dtype=float)
targets = torch.from_numpy(boxes)

# %% index of a batch in an old loader
batch_index = np.floor(np.arange(6) / 2).astype(np.int)
groups = torch.as_tensor(batch_index)
# %% fixed
batch_index = np.floor(np.arange(6) / 2).astype(np.int64)
groups = torch.as_tensor(batch_index)

# %% strings and None in one array
labels = np.array(["cat", None], dtype=np.object)
# %% fixed
labels = np.array(["cat", None], dtype=object)

# %% a lower limit for a search
best = np.Inf
best = min(best, torch.tensor(0.3).item())
# %% fixed
best = np.inf
best = min(best, torch.tensor(0.3).item())

# %% scalars of an old metric
score = np.float_(torch.tensor(0.25).item())
# %% fixed
score = np.float64(torch.tensor(0.25).item())

# %% classes that a split contains
is_known = np.in1d(np.array([0, 1, 5]), np.arange(3))
# %% fixed
is_known = np.isin(np.array([0, 1, 5]), np.arange(3))

# %% message: the number of weights, from the shape
weights = np.product(torch.zeros(3, 4).shape)
# %% fixed
weights = np.prod(torch.zeros(3, 4).shape)

# %% message: area under a curve
area = np.trapz(torch.linspace(0, 1, 5).numpy())
# %% fixed
area = np.trapezoid(torch.linspace(0, 1, 5).numpy())

# %% message: a function without a replacement of one word
values = np.asfarray([1, 2])

# %% message: a type of another platform
total = np.array([0.1, 0.2], dtype=np.float96).sum()
# %% fixed
total = np.array([0.1, 0.2], dtype=np.float64).sum()

# %% right: names that all versions have
mask = np.zeros(3, dtype=bool)
index = torch.from_numpy(np.arange(3, dtype=np.int64))
best = np.inf
