import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, Subset, random_split
from torchvision import transforms as T
from torchvision.transforms import v2

torch.manual_seed(0)


class Pictures(Dataset):
    def __init__(self, transform, count=48):
        self.pictures, self.transform = torch.rand(count, 3, 12, 12), transform

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        return self.transform(self.pictures[index]), index % 3


class Trainer:
    def __init__(self, train_set, val_set):
        self.model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(400, 3))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.train_loader, self.val_loader = DataLoader(train_set, 8, shuffle=True), DataLoader(val_set, 6)

    def fit(self, epochs=3):
        for epoch in range(epochs):
            self.model.train()
            for batch, target in self.train_loader:
                F.cross_entropy(self.model(batch), target).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.model.eval()
            with torch.inference_mode():
                losses = [F.cross_entropy(self.model(batch), target) for batch, target in self.val_loader]


# %% a crop and colors of the first torchvision transforms
dataset = Pictures(T.Compose([T.RandomCrop(12, padding=2), T.ColorJitter(0.4)]))
train_set, val_set = random_split(dataset, [36, 12])
Trainer(train_set, val_set).fit()
# %% fixed
augmented, plain = Pictures(T.Compose([T.RandomCrop(12, padding=2), T.ColorJitter(0.4)])), Pictures(nn.Identity())
plain.pictures = augmented.pictures
train_set, val_set = random_split(augmented, [36, 12])
val_set = Subset(plain, val_set.indices)
Trainer(train_set, val_set).fit()


# %% indices of the program's own, and a dataset that draws the noise itself
class Noisy(Pictures):
    def __getitem__(self, index):
        return self.pictures[index] + 0.3 * torch.randn(3, 12, 12), index % 3


dataset, order = Noisy(None), torch.randperm(48).tolist()
train_set, val_set = Subset(dataset, order[:36]), Subset(dataset, order[36:])
Trainer(train_set, val_set).fit()

# %% watched: a schedule of transforms in a sequence, and an LSTM over rows
dataset = Pictures(nn.Sequential(v2.RandomApply([v2.GaussianBlur(3)], p=0.9), v2.RandomHorizontalFlip(0.5)))
first, second = random_split(dataset, [0.8, 0.2])
network, head = nn.LSTM(36, 8, batch_first=True), nn.Linear(8, 3)
optimizer = torch.optim.AdamW([*network.parameters(), *head.parameters()])
for epoch in range(4):
    for batch, target in DataLoader(first, 10, shuffle=True):
        loss = nn.CrossEntropyLoss()(head(network(batch.transpose(1, 2).flatten(2))[0][:, -1]), target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        for batch, target in DataLoader(second, 10):
            head(network(batch.transpose(1, 2).flatten(2))[0][:, -1])


# %% right: one dataset, whose transform is exchanged before each validation
class Switching(Trainer):
    def fit(self, epochs=3):
        for epoch in range(epochs):
            dataset.transform = v2.RandomErasing(1.0)
            self.model.train()
            for batch, target in self.train_loader:
                F.cross_entropy(self.model(batch), target).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
            dataset.transform = nn.Identity()
            self.model.eval()
            with torch.no_grad():
                losses = [F.cross_entropy(self.model(batch), target) for batch, target in self.val_loader]


dataset = Pictures(nn.Identity())
train_set, val_set = random_split(dataset, [36, 12])
Switching(train_set, val_set).fit()


# %% right: a split of a dataset without augmentation, which the training step adds
class OnBatches(Trainer):
    def fit(self, epochs=3):
        augment = v2.RandomCrop(12, padding=3)
        for epoch in range(epochs):
            self.model.train()
            for batch, target in self.train_loader:
                F.cross_entropy(self.model(augment(batch)), target).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.model.eval()
            with torch.no_grad():
                losses = [F.cross_entropy(self.model(batch), target) for batch, target in self.val_loader]


train_set, val_set = random_split(Pictures(v2.Normalize([0.5] * 3, [0.25] * 3)), [36, 12])
OnBatches(train_set, val_set).fit()


# %% right: each part has a transform of its own, on top of the split
class Transformed(Dataset):
    def __init__(self, part, transform):
        self.part, self.transform = part, transform

    def __len__(self):
        return len(self.part)

    def __getitem__(self, index):
        picture, label = self.part[index]
        return self.transform(picture), label


first, second = random_split(Pictures(nn.Identity()), [36, 12])
train_set, val_set = Transformed(first, v2.RandomErasing(1.0)), Transformed(second, v2.Normalize([0.5] * 3, [0.25] * 3))
Trainer(train_set, val_set).fit()

# %% right: the validation has no augmentation, and the test is averaged over augmentations at the end
augmented, plain = Pictures(v2.RandomErasing(1.0)), Pictures(nn.Identity())
plain.pictures = augmented.pictures
train_set, held_out = random_split(augmented, [36, 12])
val_set = Subset(plain, held_out.indices)
trainer = Trainer(train_set, val_set)
trainer.fit()
with torch.inference_mode():
    votes = [trainer.model(batch).softmax(1) for _ in range(4) for batch, _ in DataLoader(held_out, 12)]

# %% watched: the folds of a cross-validation, each dropped before the next
dataset = Pictures(v2.Compose([v2.RandomHorizontalFlip(0.5), v2.ColorJitter(0.5)]))
for fold in range(2):
    held_out = set(range(24 * fold, 24 * fold + 24))
    Trainer(*(Subset(dataset, [n for n in range(48) if (n in held_out) == chosen]) for chosen in (False, True))).fit()
