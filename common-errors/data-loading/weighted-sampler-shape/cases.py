import torch
from torch.nn.functional import one_hot
from torch.utils.data import DataLoader, RandomSampler, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
labels = torch.tensor([0] * 12 + [1] * 6 + [2] * 2)
counts = torch.bincount(labels)

# %% one-hot labels
targets = one_hot(labels).float()
weights = targets / counts
sampler = WeightedRandomSampler(weights, num_samples=20)
# %% fixed
targets = one_hot(labels).float()
weights = targets / counts
weights = weights.sum(dim=1)
sampler = WeightedRandomSampler(weights, num_samples=20)

# %% a list with one-element tensors
frame = torch.rand(20, 1)
weights = [[float(value)] for value in frame]
sampler = WeightedRandomSampler(weights, num_samples=20)
# %% fixed
frame = torch.rand(20, 1)
weights = torch.as_tensor([[float(value)] for value in frame]).flatten()
sampler = WeightedRandomSampler(weights, num_samples=20)

# %% the weights of a batch of rows
weights = (1 / counts)[labels].reshape(1, -1)
sampler = WeightedRandomSampler(weights, num_samples=20)
# %% fixed
weights = (1 / counts)[labels].reshape(1, -1)
weights = weights.flatten()
sampler = WeightedRandomSampler(weights, num_samples=20)

# %% a single number
weights = 1 / counts.sum()
sampler = WeightedRandomSampler(weights, num_samples=20)
# %% fixed
weights = (1 / counts)[labels]
sampler = WeightedRandomSampler(weights, num_samples=20)

# %% a map of labels
mask = torch.randint(3, (20, 8, 8))
weights = (1 / counts)[mask]
sampler = WeightedRandomSampler(weights, num_samples=20)
# %% fixed
mask = torch.randint(3, (20, 8, 8))
weights = (1 / counts)[mask]
weights = weights.mean(dim=(1, 2))
sampler = WeightedRandomSampler(weights, num_samples=20)

# %% message: more draws than samples, without replacement
sampler = WeightedRandomSampler((1 / counts)[labels], num_samples=40, replacement=False)
for batch in DataLoader(labels, batch_size=10, sampler=sampler):
    pass
# %% fixed
sampler = WeightedRandomSampler((1 / counts)[labels], num_samples=40, replacement=True)
for batch in DataLoader(labels, batch_size=10, sampler=sampler):
    pass

# %% message: more tokens than there are
torch.rand(5).multinomial(8)
# %% fixed
torch.rand(5).multinomial(8, replacement=True)

# %% message: a text where a boolean should be
sampler = WeightedRandomSampler((1 / counts)[labels], 20, replacement="False")
# %% fixed
sampler = WeightedRandomSampler((1 / counts)[labels], 20, replacement=False)

# %% message: a number where a boolean should be
loader = DataLoader(labels, batch_size=4, drop_last="yes")
# %% fixed
loader = DataLoader(labels, batch_size=4, drop_last=True)

# %% message: a number for the random sampler
sampler = RandomSampler(labels, replacement=1)
# %% fixed
sampler = RandomSampler(labels, replacement=True)

# %% right: one weight per sample
weights = (1 / counts)[labels]
sampler = WeightedRandomSampler(weights, num_samples=20)

# %% right: a list of numbers
weights = (1 / counts)[labels].tolist()
sampler = WeightedRandomSampler(weights, num_samples=40)
