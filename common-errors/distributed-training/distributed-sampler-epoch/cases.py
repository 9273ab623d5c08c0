import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, RandomSampler, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(96, 8), torch.randint(3, (96,)))
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# What rank 1 of two ranks does, without the other one.
own = {"num_replicas": 2, "rank": 1}


def train(loader):
    for inputs, targets in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


# %% a loop over epochs
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, seed=3, **own))
epochs = 4
for epoch in range(epochs):
    train(loader)

# %% fixed
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, seed=3, **own))
epochs = 4
for epoch in range(epochs):
    loader.sampler.set_epoch(epoch)
    train(loader)

# %% set_epoch is called once, before the loop, of a sampler for the workers
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, drop_last=True, **own), num_workers=1)
loader.sampler.set_epoch(0)
epochs = 3
for epoch in range(epochs):
    train(loader)

# %% right: epochs that go on after a restart
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, **own))
epochs = 4
for epoch in range(7, 7 + epochs):
    loader.sampler.set_epoch(epoch)
    train(loader)

# %% right: no order is wanted
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, shuffle=False, **own))
epochs = 4
for epoch in range(epochs):
    train(loader)

# %% right: one process, which draws a new order itself
loader = DataLoader(dataset, batch_size=8, sampler=RandomSampler(dataset))
epochs = 4
for epoch in range(epochs):
    train(loader)

# %% right: a loader for evaluation stands beside that of training
evaluation = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, **own))
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, **own))
epochs = 4
for epoch in range(epochs):
    loader.sampler.set_epoch(epoch)
    train(loader)
    with torch.no_grad():
        error = sum(F.cross_entropy(model(inputs), targets) for inputs, targets in evaluation)

# %% right: a search over learning rates, in which each trial begins with epoch 0
loader, epochs = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset, **own)), 2
for rate in (0.1, 0.01, 0.001):
    model = nn.Linear(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        train(loader)

# %% watched: a batch sampler around it, in a trainer
class Trainer:
    def __init__(self, data):
        self.loader = DataLoader(data, batch_sampler=BatchSampler(DistributedSampler(data, **own), 12, False))
        self.network = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 3))
        self.optimizer = torch.optim.AdamW(self.network.parameters())

    def fit(self, steps):
        done = 0
        while done < steps:
            for inputs, targets in self.loader:
                self.optimizer.zero_grad()
                nn.CrossEntropyLoss()(self.network(inputs), targets).backward()
                self.optimizer.step()
                done += 1


Trainer(dataset).fit(16)
