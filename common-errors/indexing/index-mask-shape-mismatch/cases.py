import numpy as np
import torch

# %% a flat mask for a map of anchors
tensor = torch.ones(5, 13, 13)
mask = torch.rand(845) > 0.6
tensor[mask] = 0.0
# %% fixed
tensor = x = torch.ones(5, 13, 13)
mask = torch.rand(845) > 0.6
mask = mask.view_as(x)
x[mask] = 0.0

# %% losses of all priors in one column, the mask by image
tensor = torch.rand(32 * 100, 1)
mask = torch.rand(32, 100) > 0.9
positive = tensor[mask]
# %% fixed
tensor = x = torch.rand(32 * 100, 1)
mask = torch.rand(32, 100) > 0.9
positive = x[mask.flatten()]
mask = mask.flatten()

# %% a tensor of which nothing is left
tensor = torch.rand(0, 85)
mask = torch.rand(39) > 0.5
valid = tensor[mask]

# %% a mask that kept a dimension of size 1
tensor = torch.rand(8, 10)
mask = torch.rand(8, 1) > 0.5
kept = tensor[mask]
# %% fixed
tensor = x = torch.rand(8, 10)
mask = torch.rand(8, 1) > 0.5
mask = mask.expand(x.shape[: mask.dim()])
kept = x[mask]

# %% time first, and a mask with the batch first
tensor = torch.rand(7, 4, 16)
mask = torch.arange(7) < torch.tensor([7, 5, 4, 2])[:, None]
words = tensor[mask]
# %% fixed
tensor = x = torch.rand(7, 4, 16)
mask = torch.arange(7) < torch.tensor([7, 5, 4, 2])[:, None]
words = x[mask.T]
mask = mask.T

# %% a mask of the pixels of an image with channels
tensor = torch.rand(3, 32, 48)
mask = torch.rand(32, 48) > 0.5
pixels = tensor[mask]
# %% fixed
tensor = x = torch.rand(3, 32, 48)
mask = torch.rand(32, 48) > 0.5
pixels = x[..., mask]
tensor = x[0]

# %% image features were inserted into the sequence
tensor = torch.rand(1, 624, 256)
mask = torch.rand(1, 304) > 0.9
segments = tensor[mask]

# %% message: rows and columns as two index tensors
scores = torch.rand(5, 6)
block = scores[torch.tensor([0, 2, 4]), torch.tensor([1, 2, 3, 5])]
# %% fixed
x = torch.rand(5, 6)
rows, columns = torch.tensor([0, 2, 4]), torch.tensor([1, 2, 3, 5])
block = x[rows[:, None], columns]

# %% message: the mask of a NumPy array
kept = np.zeros((4, 3))[np.zeros(5, dtype=bool)]

# %% right: a mask of the first two dimensions
tensor = torch.rand(2, 5, 16)
mask = torch.rand(2, 5) > 0.5
words = tensor[mask]

# %% right: a mask that is broadcast
tensor = torch.rand(8, 10)
mask = torch.rand(8, 10) > 0.5
kept = tensor.masked_fill(mask[:1], 0.0)
