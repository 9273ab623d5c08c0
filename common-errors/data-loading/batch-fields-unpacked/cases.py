from collections import namedtuple

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

images, labels = torch.rand(8, 3, 16, 16), torch.arange(8)

# %% a dictionary, as tokenizers give it
samples = [{"input_ids": torch.arange(6), "attention_mask": torch.ones(6), "label": n % 2} for n in range(8)]
loader, expected = DataLoader(samples, batch_size=4), 2
for inputs, targets in loader:
    pass

# %% weights that the dataset does not return
loader, expected = DataLoader(TensorDataset(images, labels), batch_size=4), 3
for images, labels, weights in loader:
    pass

# %% no labels
loader, expected = DataLoader(TensorDataset(images), batch_size=4), 2
for inputs, targets in loader:
    pass

# %% one tensor for each sample
loader, expected = DataLoader(images, batch_size=4), 2
for step, (inputs, targets) in enumerate(loader):
    pass

# %% the first batch alone
loader, expected = DataLoader(TensorDataset(images, labels, labels), batch_size=4), 2
train_images, train_labels = next(iter(loader))

# %% message: enumerate without the parentheses
loader, expected = DataLoader(TensorDataset(images, labels), batch_size=4), 2
for step, images, labels in enumerate(loader):
    pass
# %% fixed
loader, expected = DataLoader(TensorDataset(images, labels), batch_size=4), 2
for step, (images, labels) in enumerate(loader):
    pass


# %% a model that takes the whole batch
class Classifier(nn.Module):
    def forward(self, batch):
        inputs, targets = batch
        return nn.functional.cross_entropy(inputs.flatten(1), targets)


loader, expected = DataLoader(TensorDataset(images, labels, labels), batch_size=4), 2
for batch in loader:
    loss = Classifier()(batch)


# %% message: a collate function for two fields
def collate(batch):
    inputs, targets = zip(*batch)
    return torch.stack(inputs), torch.stack(targets)


for batch in DataLoader(TensorDataset(images, labels, labels), batch_size=4, collate_fn=collate):
    pass


# %% message: all samples of a batch were filtered
def collate_known(batch):
    samples = [sample for sample in batch if sample[1] > 3]
    inputs, targets = zip(*samples)
    return torch.stack(inputs), torch.stack(targets)


for batch in DataLoader(TensorDataset(images, labels), batch_size=4, collate_fn=collate_known):
    pass

# %% right: two fields
loader, expected = DataLoader(TensorDataset(images, labels), batch_size=4), 2
for images, labels in loader:
    pass

# %% right: a named tuple of three fields
Sample = namedtuple("Sample", "image label weight")
loader, expected = DataLoader([Sample(image, 1, 0.5) for image in images], batch_size=4), 3
for images, labels, weights in loader:
    pass


# %% right: an index beside a pair
class Indexed(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index, (torch.zeros(4), index % 2)


loader, expected = DataLoader(Indexed(), batch_size=4), 2
for indices, (inputs, targets) in loader:
    pass


# %% right: a batch of a class that yields its fields
class Pairs:
    def __init__(self, samples):
        self.inputs, self.targets = (torch.stack(field) for field in zip(*samples))

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((self.inputs, self.targets))


loader, expected = DataLoader(TensorDataset(images, labels), batch_size=4, collate_fn=Pairs), 2
for inputs, targets in loader:
    pass
