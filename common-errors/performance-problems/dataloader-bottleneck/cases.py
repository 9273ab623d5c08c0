import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features, labels = torch.randn(128, 32), torch.randint(4, (128,))
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(batches):
    for inputs, targets in batches:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


class Files(Dataset):
    def __len__(self):
        return len(features)

    def __getitem__(self, index):
        time.sleep(0.002)  # stands in for a network drive
        return features[index], labels[index]


# %% files that are opened for each sample
loader = DataLoader(Files(), batch_size=16)
train(loader)

# %% fixed
files = Files()
loader = DataLoader([files[index] for index in range(128)], batch_size=16)
train(loader)

# %% an augmentation that filters each image in a loop of its own
class Blurred(Dataset):
    def __len__(self):
        return len(features)

    def __getitem__(self, index):
        image = torch.rand(64, 64)
        for _ in range(60):
            image = (image + image.roll(1, 0) + image.roll(1, 1)) / 3
        return image.flatten()[:32], labels[index]


loader = DataLoader(Blurred(), batch_size=16)
train(loader)

# %% right: a large network, and the same kind of data set
model = nn.Sequential(nn.Linear(32, 1500), nn.ReLU(), nn.Linear(1500, 1500), nn.ReLU(), nn.Linear(1500, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(features, labels), batch_size=16)
train(loader)

# %% right: noise that is added in each epoch
class Noisy(Dataset):
    def __len__(self):
        return len(features)

    def __getitem__(self, index):
        return features[index] + 0.1 * torch.randn(32), labels[index]


model = nn.Sequential(nn.Linear(32, 1500), nn.ReLU(), nn.Linear(1500, 1500), nn.ReLU(), nn.Linear(1500, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(Noisy(), batch_size=16)
train(loader)
