import pickle
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, Subset
from torchvision import datasets

torch.manual_seed(0)
folder = tempfile.TemporaryDirectory()
root = Path(folder.name)


def read(path):
    return torch.tensor(pickle.loads(Path(path).read_bytes()))


def folders(split, names, count=6):
    for name in names:
        (root / split / name).mkdir(parents=True)
        for number in range(count):
            (root / split / name / f"{number}.pkl").write_bytes(pickle.dumps([len(name), number, ord(name[-1]) % 7]))
    return datasets.DatasetFolder(root / split, read, (".pkl",))


class Trainer:
    def __init__(self, classes):
        self.model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, classes))
        self.optimizer, self.criterion = torch.optim.SGD(self.model.parameters(), lr=0.01), nn.CrossEntropyLoss()

    def train(self, data):
        self.model.train()
        for features, target in DataLoader(data, 8, shuffle=True):
            self.optimizer.zero_grad()
            self.criterion(self.model(features.float()), target).backward()
            self.optimizer.step()

    @torch.inference_mode()
    def evaluate(self, data):
        self.model.eval()
        return [self.criterion(self.model(features.float()), target).item() for features, target in DataLoader(data, 4)]

# %% the folders of the test have other classes as well
train_set, val_set = folders("train", ["cat", "dog", "fox"]), folders("test", ["bee", "cat", "dog"])
trainer = Trainer(3)
trainer.train(train_set)
trainer.evaluate(val_set)
# %% fixed
class ClassesOfTraining(datasets.DatasetFolder):
    def find_classes(self, directory):
        return train_set.classes, train_set.class_to_idx


train_set = folders("train", ["cat", "dog", "fox"])
folders("test", ["cat", "dog"])
val_set = ClassesOfTraining(root / "test", read, (".pkl",), allow_empty=True)
trainer = Trainer(3)
trainer.train(train_set)
trainer.evaluate(val_set)

# %% folders that are named after numbers, and a test set whose labels are these numbers
class FromList(Dataset):
    def __init__(self, labels):
        self.labels, self.class_to_idx = labels, {str(label): label for label in sorted(set(labels))}

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return torch.tensor([2, index, self.labels[index]]), self.labels[index]


train_set, val_set = folders("train", [str(number) for number in range(12)]), FromList([3, 7, 10, 11, 2, 0])
model = Trainer(12)
model.train(train_set)
model.evaluate(val_set)

# %% watched: a subset for each, mixed precision, and labels that move to the device
train_set, val_set = folders("train", ["a", "b", "c", "d"]), folders("val", ["a", "c", "d"])
network = nn.LSTM(1, 4, batch_first=True)
optimizer = torch.optim.AdamW(network.parameters())
for features, labels in DataLoader(Subset(train_set, range(20)), batch_size=8):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.nll_loss(network(features[..., None].float())[0][:, -1].log_softmax(1), labels.to("cpu", copy=True))
    loss.backward()
    optimizer.step()
network.eval()
with torch.no_grad():
    for features, labels in DataLoader(Subset(val_set, range(12)), batch_size=8):
        loss = F.nll_loss(network(features[..., None].float())[0][:, -1].log_softmax(1), labels.to("cpu", copy=True))

# %% right: a target_transform gives the numbers of the training
train_set, val_set = folders("train", ["cat", "dog", "fox"]), folders("val", ["cat", "fox"])
val_set.target_transform = lambda number: train_set.class_to_idx[val_set.classes[number]]
trainer = Trainer(3)
trainer.train(train_set)
trainer.evaluate(val_set)

# %% right: a class is missing, but the last one
train_set, val_set = folders("train", ["cat", "dog", "fox"]), folders("val", ["cat", "dog"])
trainer = Trainer(3)
trainer.train(train_set)
trainer.evaluate(val_set)

# %% right: two tasks with their own folders, and a model for each
for classes in (["cat", "dog", "fox"], ["bee", "cat", "dog"]):
    task = "-".join(classes)
    train_set, val_set = folders(f"train/{task}", classes), folders(f"val/{task}", classes)
    trainer = Trainer(3)
    trainer.train(train_set)
    trainer.evaluate(val_set)
