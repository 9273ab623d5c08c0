import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

torch.manual_seed(0)


class Table(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.full((4,), float(index)), index % 2


# %% one batch to try the model
source = DataLoader(TensorDataset(torch.rand(8, 3, 16, 16), torch.arange(8)), batch_size=4)
images, labels = next(source)
# %% fixed
loader = DataLoader(TensorDataset(torch.rand(8, 3, 16, 16), torch.arange(8)), batch_size=4)
source = iter(loader)
images, labels = next(iter(loader))

# %% a fixed number of steps over tokens
source = DataLoader(torch.randint(1000, (64, 12)), batch_size=8, shuffle=True)
for step in range(5):
    tokens = next(source)
# %% fixed
loader = DataLoader(torch.randint(1000, (64, 12)), batch_size=8, shuffle=True)
source = batches = iter(loader)
for step in range(5):
    tokens = next(batches)

# %% an index, as for a list
source = DataLoader(Table(), batch_size=3)
features, label = source[0]
# %% fixed
loader = DataLoader(Table(), batch_size=3)
source = iter(loader)
features, label = loader.dataset[0]

# %% the first two batches as a slice
source = DataLoader(range(12), batch_size=4)
first = source[:2]
# %% fixed
loader = DataLoader(range(12), batch_size=4)
source = iter(loader)
first = next(iter(loader))

# %% message: the old method of the iterator
batches = iter(DataLoader(torch.rand(8, 3), batch_size=4))
batch = batches.next()
# %% fixed
batches = iter(DataLoader(torch.rand(8, 3), batch_size=4))
batch = next(batches)

# %% message: the old method, with workers
batches = iter(DataLoader(torch.rand(8, 3), batch_size=4, num_workers=1))
batch = batches.next()
# %% fixed
batches = iter(DataLoader(torch.rand(8, 3), batch_size=4, num_workers=1))
batch = next(batches)

# %% message: a method of the loader
loader = DataLoader(torch.rand(8, 3), batch_size=4)
batch = loader.next()
# %% fixed
loader = DataLoader(torch.rand(8, 3), batch_size=4)
batch = next(iter(loader))

# %% message: an index of the iterator
batch = iter(DataLoader(torch.rand(8, 3), batch_size=4))[0]
# %% fixed
batches = iter(DataLoader(torch.rand(8, 3), batch_size=4))
batch = next(batches)

# %% message: the loader is moved to the device
loader = DataLoader(torch.rand(8, 3), batch_size=4)
loader = loader.to("cpu")
# %% fixed
device = "cpu"
loader = DataLoader(torch.rand(8, 3), batch_size=4)
for batch in loader:
    batch = batch.to(device)

# %% message: the shape of the loader
loader = DataLoader(TensorDataset(torch.rand(8, 3), torch.rand(8)), batch_size=4)
print(loader.shape)
# %% fixed
loader = DataLoader(TensorDataset(torch.rand(8, 3), torch.rand(8)), batch_size=4)
batch = next(iter(loader))
print(batch[0].shape)

# %% message: a model that gets the loader
loader = DataLoader(torch.rand(8, 3, 4, 4), batch_size=4)
nn.Sequential(nn.Flatten(), nn.Linear(48, 2))(loader)
# %% fixed
loader = DataLoader(torch.rand(8, 3, 4, 4), batch_size=4)
batch = next(iter(loader))
nn.Sequential(nn.Flatten(), nn.Linear(48, 2))(batch)

# %% message: parentheses after the loader
train_loader = DataLoader(torch.rand(8, 3), batch_size=4)
for batch in train_loader():
    pass
# %% fixed
loader = DataLoader(torch.rand(8, 3), batch_size=4)
for batch in loader:
    pass

# %% message: the class is overwritten
DataLoader = DataLoader(torch.rand(8, 3), batch_size=4)
validation = DataLoader(torch.rand(4, 3), batch_size=4)
# %% fixed
train_loader = DataLoader(torch.rand(8, 3), batch_size=4)
validation = DataLoader(torch.rand(4, 3), batch_size=4)

# %% message: more steps than batches
batches = iter(DataLoader(range(8), batch_size=4))
for step in range(5):
    batch = next(batches)
# %% fixed
loader = DataLoader(range(8), batch_size=4)


def endless():
    while True:
        yield from loader


batches = endless()
for step in range(5):
    batch = next(batches)

# %% message: more steps than batches, with a worker
batches = iter(DataLoader(range(8), batch_size=4, num_workers=1))
for step in range(5):
    batch = next(batches)
# %% fixed
loader = DataLoader(range(8), batch_size=4, num_workers=1)


def endless():
    while True:
        yield from loader


batches = endless()
for step in range(5):
    batch = next(batches)

# %% message: a generator over an iterator that ends
def forever(loader):
    batches = iter(loader)
    while True:
        yield next(batches)


for step, batch in zip(range(5), forever(DataLoader(range(8), batch_size=4))):
    pass
# %% fixed
def forever(loader):
    while True:
        yield from loader


for step, batch in zip(range(5), forever(DataLoader(range(8), batch_size=4))):
    pass

# %% message: a loop over the number of epochs
model, epochs = nn.Linear(3, 1), 5
for epoch in epochs:
    model(torch.rand(8, 3))
# %% fixed
model, epochs = nn.Linear(3, 1), 5
for epoch in range(epochs):
    model(torch.rand(8, 3))

# %% right: a loop over the loader
source = iter(DataLoader(range(8), batch_size=4))
for batch in DataLoader(range(8), batch_size=4):
    pass

# %% right: a dataset has an index
source = iter(DataLoader(TensorDataset(torch.rand(8, 3)), batch_size=4))
sample = TensorDataset(torch.rand(8, 3))[0]
