import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, StackDataset, TensorDataset

torch.manual_seed(0)


def train(model, pairs, criterion=F.cross_entropy):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, target in pairs:
        optimizer.zero_grad()
        criterion(model(inputs), target).backward()
        optimizer.step()


# %% a permutation for the inputs, and another for the labels
labels = torch.randint(5, (300,))
images = torch.randn(5, 1, 6, 6)[labels] + 0.5 * torch.randn(300, 1, 6, 6)
images, labels = images[torch.randperm(300)], labels[torch.randperm(300)]
pairs = list(DataLoader(TensorDataset(images, labels), batch_size=30))
train(nn.Sequential(nn.Flatten(), nn.Linear(36, 5)), pairs)
# %% fixed
labels = torch.randint(5, (300,))
images = torch.randn(5, 1, 6, 6)[labels] + 0.5 * torch.randn(300, 1, 6, 6)
loader = DataLoader(TensorDataset(images, labels), batch_size=30, shuffle=True)
pairs = list(loader)
train(nn.Sequential(nn.Flatten(), nn.Linear(36, 5)), pairs)

# %% names in the order of a directory: img_10 comes before img_2
angles = torch.rand(200) * 3
scans = torch.stack([angles.cos(), angles.sin(), angles], dim=1)
files = sorted(range(200), key=str)
pairs = [(scans[files[start : start + 20]], angles[start : start + 20, None]) for start in range(0, 200, 20)]
train(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), pairs, F.mse_loss)

# %% right: two loaders that keep the order
labels = torch.randint(3, (200,))
inputs = torch.randn(3, 8)[labels] + 0.3 * torch.randn(200, 8)
pairs = list(zip(DataLoader(inputs, batch_size=20), DataLoader(labels, batch_size=20), strict=True))
train(nn.Linear(8, 3), pairs)

# %% right: two loaders, whose generators have one seed
labels = torch.randint(3, (200,))
inputs = torch.randn(3, 8)[labels] + 0.3 * torch.randn(200, 8)
loaders = [DataLoader(data, batch_size=20, shuffle=True, generator=torch.Generator().manual_seed(1)) for data in (inputs, labels)]
pairs = list(zip(*loaders, strict=True))
train(nn.Linear(8, 3), pairs)

# %% right: labeled samples beside unlabeled ones, in loaders of their own
labels = torch.randint(3, (200,))
inputs = torch.randn(3, 8)[labels] + 0.3 * torch.randn(200, 8)
pairs, model = list(DataLoader(StackDataset(inputs, labels), batch_size=20, shuffle=True)), nn.Linear(8, 3)
optimizer = torch.optim.Adam(model.parameters())
for (known, target), unknown in zip(pairs, DataLoader(inputs + 0.1, batch_size=20, shuffle=True), strict=True):
    loss = F.cross_entropy(model(known), target) + F.mse_loss(model(unknown + 0.1), model(unknown).detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


# %% right: CutMix in place, with the images and labels of a second loader
labels = torch.randint(3, (200,))
images = torch.randn(3, 1, 8, 8)[labels] + 0.3 * torch.randn(200, 1, 8, 8)
pairs, other = list(DataLoader(TensorDataset(images, labels), 20, shuffle=True)), DataLoader(TensorDataset(images, labels), 20, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters())
for (mixed, target), (pasted, second) in zip(DataLoader(TensorDataset(images, labels), 20, shuffle=True), other, strict=True):
    mixed[..., 2:6, 2:6] = pasted[..., 2:6, 2:6]
    outputs = model(mixed)
    optimizer.zero_grad()
    (0.75 * F.cross_entropy(outputs, target) + 0.25 * F.cross_entropy(outputs, second)).backward()
    optimizer.step()


# %% watched: in a class, only the loader of the inputs is shuffled, regression with accumulated gradients
class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(3, 6, batch_first=True), nn.Linear(6, 1)

    def forward(self, series):
        return self.head(self.lstm(series)[1][0][0])


class Trainer:
    def __init__(self, inputs, targets):
        self.inputs, self.targets = DataLoader(inputs, batch_size=16, shuffle=True), DataLoader(targets, batch_size=16)
        self.model, self.criterion = Forecast(), nn.SmoothL1Loss()
        self.optimizer = torch.optim.AdamW(self.model.parameters())

    def fit(self):
        for number, (series, target) in enumerate(zip(self.inputs, self.targets, strict=True)):
            (self.criterion(self.model(series).squeeze(1), target) / 2).backward()
            if number % 2:
                self.optimizer.step()
                self.optimizer.zero_grad()


Trainer(torch.randn(96, 5, 3), torch.randn(96)).fit()
