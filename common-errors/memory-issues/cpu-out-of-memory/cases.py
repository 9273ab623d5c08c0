import torch
from torch import nn

# %% a similarity matrix of all rows
vectors = torch.empty(6_000_000, 2)
shape = (len(vectors), len(vectors))
similarity = vectors @ vectors.T

# %% a diagonal matrix that scales rows
weights = torch.empty(5_000_000)
shape = (len(weights), len(weights))
scaled = torch.diag(weights) @ torch.empty(5_000_000, 1)

# %% labels as one-hot rows
labels = torch.zeros(4_000_000, dtype=torch.long)
shape = (len(labels), 100_000_000)
rows = nn.functional.one_hot(labels, 100_000_000)

# %% message: a layer with an exponent too many
layer = nn.Linear(2_000_000, 2_000_000)

# %% message: sizes whose product overflows
table = torch.zeros(4_000_000_000, 4_000_000_000)

# %% message: a broadcast whose number of elements overflows
column, row = torch.zeros(1, 1).expand(2**40, 1), torch.zeros(1).expand(2**30)
difference = column - row

# %% message: activations of a batch that is far too large
images = torch.zeros(1).expand(10_000_000, 3, 224, 224)
features = nn.Conv2d(3, 64, 7, stride=2)(images)

# %% right: a mask of one byte per element
rows, shape = torch.arange(1000), (200_000, 200_000)
element = 1
equal = rows[:, None] == rows

# %% right: a pairwise difference that fits
predicted, minutes = torch.rand(1000, 1), torch.rand(1000)
difference = predicted - minutes

# %% right: a column and a column
predicted, minutes = torch.rand(1_000_000, 1), torch.rand(1_000_000, 1)
difference = predicted - minutes
