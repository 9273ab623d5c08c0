import random

import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

samples = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))


def losses_of(model, loader, augment=lambda batch: batch):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for (batch,) in loader:
        loss = (model(augment(batch)) - batch.sum(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


# %% the seed comes after the model
def run():
    model = nn.Linear(4, 1)
    torch.manual_seed(0)
    return losses_of(model, DataLoader(TensorDataset(samples), batch_size=8, shuffle=True))


print(list(run()))
# %% fixed
def run():
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    return losses_of(model, DataLoader(TensorDataset(samples), batch_size=8, shuffle=True))


print(list(run()))

# %% only random and NumPy are seeded
def run():
    random.seed(0)
    numpy.random.seed(0)
    return losses_of(nn.Linear(4, 1), DataLoader(TensorDataset(samples), batch_size=8))


print(list(run()))

# %% an augmentation that draws from random
def run():
    torch.manual_seed(0)
    return losses_of(nn.Linear(4, 1), DataLoader(TensorDataset(samples), batch_size=8), lambda batch: batch * random.uniform(0.5, 2))


print(list(run()))

# %% right: everything is seeded, and the split has a generator
def run():
    random.seed(1)
    torch.manual_seed(1)
    train, _ = random_split(TensorDataset(samples), [48, 16], generator=torch.Generator().manual_seed(2))
    model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 1))
    return losses_of(model, DataLoader(train, batch_size=8, shuffle=True), lambda batch: batch * random.uniform(0.5, 2))


print(list(run()))

# %% right: nothing is random
def run():
    model = nn.Linear(4, 1)
    nn.init.zeros_(model.weight), nn.init.zeros_(model.bias)
    return losses_of(model, DataLoader(TensorDataset(samples), batch_size=8))


print(list(run()))
