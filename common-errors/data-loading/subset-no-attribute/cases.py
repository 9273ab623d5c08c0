import tempfile
from pathlib import Path

import torch
from PIL import Image
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, TensorDataset, random_split
from torchvision.datasets import ImageFolder

torch.manual_seed(0)


class Reviews(Dataset):
    def __init__(self, transform=None):
        self.classes, self.class_to_idx = ["bad", "good"], {"bad": 0, "good": 1}
        self.targets, self.transform = [n % 2 for n in range(20)], transform
        self.samples = [f"review {n}" for n in range(20)]

    def __len__(self):
        return 20

    def __getitem__(self, index):
        return torch.full((4,), float(index)), self.targets[index]


# %% the labels of a part, from a list
train, validation = random_split(Reviews(), [16, 4])
thing, name = train, "targets"
weights = 1 / torch.bincount(torch.tensor(train.targets))
# %% fixed
train, validation = random_split(Reviews(), [16, 4])
labels = torch.as_tensor(train.dataset.targets)[train.indices]
thing, name = train.dataset, "targets"
weights = 1 / torch.bincount(labels)

# %% the class names, through a loader
train, validation = random_split(Reviews(), [0.8, 0.2])
loader = DataLoader(train, batch_size=4)
thing, name = loader.dataset, "classes"
print(loader.dataset.classes)
# %% fixed
train, validation = random_split(Reviews(), [0.8, 0.2])
loader = DataLoader(train, batch_size=4)
thing, name = train.dataset, "classes"
print(train.dataset.classes)

# %% the class names of a loader
loader = DataLoader(Reviews(), batch_size=4)
thing, name = loader, "classes"
print(loader.classes)
# %% fixed
loader = DataLoader(Reviews(), batch_size=4)
thing, name = loader.dataset, "classes"
print(loader.dataset.classes)

# %% the indices by class of a chosen part
part = Subset(Reviews(), range(10))
thing, name = part, "class_to_idx"
good = part.class_to_idx["good"]
# %% fixed
train = Subset(Reviews(), range(10))
thing, name = train.dataset, "class_to_idx"
good = train.dataset.class_to_idx["good"]

# %% the labels of two datasets in one
both = ConcatDataset([Reviews(), Reviews()])
thing, name = both, "targets"
labels = both.targets
# %% fixed
both = ConcatDataset([Reviews(), Reviews()])
thing, name = both.datasets[0], "targets"
labels = [part.targets for part in both.datasets]

# %% message: the transform of one part
train, validation = random_split(Reviews(), [16, 4])
validation.transform.train = False
# %% fixed
train, validation = random_split(Reviews(), [16, 4])
validation = Subset(Reviews(transform=None), validation.indices)

# %% message: the samples of a part
train, validation = random_split(Reviews(), [16, 4])
print(train.samples)
# %% fixed
train, validation = random_split(Reviews(), [16, 4])
print([train.dataset.samples[index] for index in train.indices])

# %% message: the labels of a TensorDataset
dataset = TensorDataset(torch.rand(8, 4), torch.arange(8))
labels = dataset.targets
# %% fixed
dataset = TensorDataset(torch.rand(8, 4), torch.arange(8))
inputs, labels = dataset.tensors

# %% message: the labels of an ImageFolder
folder = tempfile.TemporaryDirectory()
Path(folder.name, "cat").mkdir()
Image.new("RGB", (8, 8)).save(Path(folder.name, "cat", "1.png"))
dataset = ImageFolder(folder.name)
print(dataset.labels)

# %% right: the labels of the whole dataset
dataset = Reviews()
thing, name = dataset, "targets"
print(len(thing.targets))

# %% right: the tensors of a TensorDataset
dataset = TensorDataset(torch.rand(8, 4), torch.arange(8))
thing, name = dataset, "tensors"
labels = dataset.tensors[1]
