import numpy as np
import torch
from torch.utils.data import ConcatDataset, DataLoader, RandomSampler, Subset, TensorDataset, WeightedRandomSampler, random_split

# %% a split that rounds to zero
torch.manual_seed(0)
train, validation, dataset = random_split(TensorDataset(torch.rand(4, 8)), [0.6, 0.2, 0.2])
test_loader = DataLoader(dataset, batch_size=2, shuffle=True)
# %% fixed
torch.manual_seed(0)
train, validation, dataset = random_split(TensorDataset(torch.rand(4, 8)), [2, 1, 1])
print(len(dataset))
test_loader = DataLoader(dataset, batch_size=2, shuffle=True)

# %% a filter that compares text with numbers
rows = [("3", 0.2), ("7", 0.9), ("3", 0.4)]
dataset = [value for label, value in rows if label == 3]
loader = DataLoader(dataset, batch_size=2, shuffle=True)

# %% a subset for a quick trial
photos = TensorDataset(torch.rand(40, 3, 8, 8))
dataset = Subset(photos, range(len(photos) // 100))
loader = DataLoader(dataset, batch_size=4, shuffle=True)

# %% texts that are shorter than one block
tokens = torch.arange(300)
blocks = tokens[: len(tokens) // 1024 * 1024].view(-1, 1024)
dataset = TensorDataset(blocks)
sampler = RandomSampler(dataset)

# %% message: none drawn of a small dataset
dataset = TensorDataset(torch.rand(40, 8))
sampler = RandomSampler(dataset, num_samples=len(dataset) // 100)

# %% message: a sum of NumPy
counts = np.array([90, 10])
weights = 1 / counts[[0] * 90 + [1] * 10]
sampler = WeightedRandomSampler(weights, num_samples=counts.sum())
# %% fixed
counts = np.array([90, 10])
weights = 1 / counts[[0] * 90 + [1] * 10]
n = counts.sum()
sampler = WeightedRandomSampler(weights, num_samples=int(n))

# %% message: a number with an exponent
sampler = RandomSampler(range(1_000_000), replacement=True, num_samples=1e5)
# %% fixed
n = 1e5
sampler = RandomSampler(range(1_000_000), replacement=True, num_samples=int(n))

# %% message: a fraction of nothing
labels = torch.zeros(20)
sampler = RandomSampler(range(20), replacement=True, num_samples=2 * labels.sum().item())
# %% fixed
labels = torch.zeros(20)
n = 2 * (labels == 0).sum().item()
sampler = RandomSampler(range(20), replacement=True, num_samples=int(n))

# %% message: more held out than there is
samples, held_out = range(7), 10
sampler = RandomSampler(samples, num_samples=len(samples) - held_out)

# %% message: a count that is a tensor
labels = torch.tensor([0, 1, 1, 0, 1])
sampler = WeightedRandomSampler(torch.ones(5), num_samples=(labels == 1).sum() - 1)
# %% fixed
labels = torch.tensor([0, 1, 1, 0, 1])
n = (labels == 1).sum() - 1
sampler = WeightedRandomSampler(torch.ones(5), num_samples=int(n))

# %% right: a small subset of a subset
dataset = Subset(Subset(TensorDataset(torch.rand(40, 8)), range(10)), [3])
loader = DataLoader(dataset, batch_size=4, shuffle=True)

# %% right: one of two folders has no files
dataset = ConcatDataset([TensorDataset(torch.rand(0, 8)), TensorDataset(torch.rand(5, 8))])
loader = DataLoader(dataset, batch_size=4, shuffle=True)
