import torch
from torch.utils.data import Subset, TensorDataset, random_split

# %% three parts, each rounded down
dataset = range(1001)
lengths = [int(0.7 * 1001), int(0.2 * 1001), int(0.1 * 1001)]
parts = random_split(dataset, lengths)

# %% twenty equal fractions
dataset, lengths = range(1000), [0.05] * 20
parts = random_split(dataset, lengths)

# %% fractions that leave a part out
dataset, lengths = range(1000), [0.7, 0.2]
parts = random_split(dataset, [0.7, 0.2])
# %% fixed
dataset = range(1000)
n_train = int(0.7 * len(dataset))
lengths = [n_train, len(dataset) - n_train]
parts = random_split(dataset, lengths)

# %% the lengths of the whole dataset for a part of it
dataset, lengths = Subset(range(60000), range(2000)), [50000, 10000]
training, validation = random_split(dataset, lengths)

# %% batches counted instead of samples
dataset = TensorDataset(torch.randn(640, 4))
lengths = [8, 2]
training, validation = random_split(dataset, lengths)

# %% message: lengths that are floats
parts = random_split(range(10), [10 * 0.8, 10 * 0.2])
# %% fixed
n = 10 * 0.8
parts = random_split(range(10), [int(n), 10 - int(n)])

# %% message: percentages written as fractions
parts = random_split(range(10), [1.2, -0.2])

# %% right: fractions that add up to 1
dataset, lengths = range(385), [0.9, 0.1]
parts = random_split(dataset, lengths)

# %% right: lengths of a dataset that divides
dataset, lengths = range(10), [8, 2]
parts = random_split(dataset, lengths)
