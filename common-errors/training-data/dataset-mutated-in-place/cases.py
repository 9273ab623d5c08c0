import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import ConcatDataset, DataLoader, Dataset, RandomSampler, Subset, TensorDataset

torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))


def train(loader, passes=4):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(passes):
        for inputs, target in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(inputs.float()), target).backward()
            optimizer.step()


# %% cutout that blanks a square of the stored image
class Erasing(Dataset):
    def __init__(self):
        self.images = [torch.rand(1, 8, 8) for _ in range(40)]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        y, x = torch.randint(6, (2,)).tolist()
        image[:, y : y + 3, x : x + 3] = 0
        return image, index % 3


dataset = Erasing()
train(DataLoader(dataset, batch_size=8, shuffle=True))


# %% fixed
class Erasing(Dataset):
    def __init__(self):
        self.images = [torch.rand(1, 8, 8) for _ in range(40)]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].clone()
        y, x = torch.randint(6, (2,)).tolist()
        image[:, y : y + 3, x : x + 3] = 0
        return image, index % 3


dataset = Erasing()
train(DataLoader(dataset, batch_size=8, shuffle=True))


# %% noise that is added to rows of an array, behind a subset
class Noisy(Dataset):
    def __init__(self):
        self.signals = np.zeros((60, 64), dtype=np.float32)

    def __len__(self):
        return 60

    def __getitem__(self, index):
        signal = self.signals[index]
        signal += np.random.normal(0, 0.1, 64)
        return torch.from_numpy(signal), index % 3


dataset = Noisy()
train(DataLoader(Subset(dataset, range(40)), batch_size=8))


# %% right: a random augmentation that makes new tensors
class Flipped(Dataset):
    def __init__(self):
        self.images = torch.rand(40, 1, 8, 8)

    def __len__(self):
        return 40

    def __getitem__(self, index):
        image = self.images[index]
        return image.flip(-1) if random.random() < 0.5 else image + 0.1 * torch.randn(1, 8, 8), index % 3


dataset = Flipped()
train(DataLoader(dataset, batch_size=8, shuffle=True))


# %% right: a cache that the first pass fills
class Lazy(Dataset):
    def __init__(self):
        self.cache = torch.zeros(40, 1, 8, 8)
        self.filled = [False] * 40

    def __len__(self):
        return 40

    def __getitem__(self, index):
        if not self.filled[index]:
            self.cache[index] = torch.rand(1, 8, 8)
            self.filled[index] = True
        return self.cache[index], index % 3


dataset = Lazy()
train(DataLoader(dataset, batch_size=8, shuffle=True))


# %% right: a cache that fills over several passes, each of which visits a part of the samples
class Lazy(Dataset):
    def __init__(self):
        self.cache = {}

    def __len__(self):
        return 40

    def __getitem__(self, index):
        if index not in self.cache:
            self.cache[index] = torch.rand(1, 8, 8)
        return self.cache[index], index % 3


dataset = Lazy()
train(DataLoader(dataset, batch_size=8, sampler=RandomSampler(dataset, num_samples=16)), passes=8)


# %% right: an array that each access uses for scratch, and copies
class Scratch(Dataset):
    def __init__(self):
        self.scratch = np.empty((8, 8), dtype=np.float32)

    def __len__(self):
        return 40

    def __getitem__(self, index):
        self.scratch[:] = np.random.default_rng(index).random((8, 8))
        return torch.tensor(self.scratch), index % 3


dataset = Scratch()
train(DataLoader(dataset, batch_size=8))

# %% right: the program normalizes the batch in place, which is a copy
dataset = TensorDataset(torch.rand(40, 1, 8, 8), torch.arange(40) % 3)
for epoch in range(4):
    train(((inputs.sub_(0.5).div_(0.3), target) for inputs, target in DataLoader(dataset, batch_size=8)), passes=1)


# %% right: a buffer of experience that grows and is overwritten between the passes
class Buffer(Dataset):
    def __init__(self):
        self.states = torch.zeros(40, 64)

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return self.states[index], index % 3


dataset = Buffer()
for round in range(6):
    dataset.states[torch.randperm(40)[:20]] = torch.randn(20, 64)
    train(DataLoader(dataset, batch_size=8, shuffle=True), passes=1)


# %% watched: a transform with a class of its own on a list of pairs, which scales in place
class Scale:
    def __call__(self, pairs):
        images, targets = zip(*pairs)
        return torch.stack([image.mul_(1.1) for image in images]), torch.tensor(targets)


pairs = [(torch.rand(1, 8, 8), number % 3) for number in range(40)]
network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.LazyLinear(3))
network(torch.rand(2, 1, 8, 8))
optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
loader = DataLoader(pairs, batch_size=10, collate_fn=Scale())
for epoch in range(4):
    for images, targets in loader:
        optimizer.zero_grad()
        nn.CrossEntropyLoss()(network(images), targets).backward()
        optimizer.step()
    with torch.no_grad():
        network(torch.rand(2, 1, 8, 8))


# %% watched: spectrograms in a dictionary, of which each access takes the logarithm in place, in an autoencoder
class Spectrograms(Dataset):
    def __init__(self):
        self.stored = {f"song{number}": 1 + torch.rand(64) for number in range(24)}

    def __len__(self):
        return 24

    def __getitem__(self, index):
        return self.stored[f"song{index}"].log1p_()


autoencoder = nn.Sequential(nn.Linear(64, 8), nn.Linear(8, 64))
updates = torch.optim.AdamW(autoencoder.parameters())
songs = DataLoader(Spectrograms(), batch_size=6, shuffle=True)
for epoch in range(5):
    for batch in songs:
        updates.zero_grad()
        (autoencoder(batch) - batch).square().mean().backward()
        updates.step()


# %% watched: boxes of a detection data set, scaled in place, in two data sets that are joined
class Boxes(Dataset):
    def __init__(self, count):
        self.samples = [{"image": torch.rand(3, 8, 8), "boxes": torch.rand(2, 4)} for _ in range(count)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        sample = self.samples[index]
        sample["boxes"] *= 8
        return sample


regressor = nn.Sequential(nn.Flatten(), nn.Linear(192, 8))
optimizer = torch.optim.Adam(regressor.parameters())
both = DataLoader(ConcatDataset([Boxes(20), Boxes(10)]), batch_size=6, shuffle=True)
for epoch in range(4):
    for batch in both:
        optimizer.zero_grad()
        F.smooth_l1_loss(regressor(batch["image"]), batch["boxes"].flatten(1)).backward()
        optimizer.step()
