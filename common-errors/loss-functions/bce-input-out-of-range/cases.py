import torch
from torch import nn

torch.manual_seed(0)
loss_fn = nn.BCELoss()

# %% a discriminator that ends in Tanh
model = nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1), nn.Tanh())
predictions, targets = model(torch.randn(32, 8)), torch.ones(32, 1)
loss = loss_fn(predictions, targets)

# %% NaN in the data, behind a sigmoid
batch = torch.randn(32, 8)
batch[4, 1] = torch.nan
predictions, targets = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())(batch), torch.ones(32, 1)
loss = loss_fn(predictions, targets)

# %% probabilities that an interpolation carries above 1
small = (torch.arange(64).view(1, 1, 8, 8) // 4 % 2).float()
predictions = nn.functional.interpolate(small, scale_factor=2, mode="bicubic")
targets = torch.ones(1, 1, 16, 16)
loss = nn.functional.binary_cross_entropy(predictions, targets)

# %% a mask of 0 and 255
predictions = nn.Sequential(nn.Conv2d(3, 1, 3, padding=1), nn.Sigmoid())(torch.rand(2, 3, 8, 8))
mask = torch.full((2, 1, 8, 8), 255.0)
targets = mask
loss = loss_fn(predictions, targets)
# %% fixed
predictions = nn.Sequential(nn.Conv2d(3, 1, 3, padding=1), nn.Sigmoid())(torch.rand(2, 3, 8, 8))
mask = torch.full((2, 1, 8, 8), 255.0)
targets = (mask > 127).float()
loss = loss_fn(predictions, targets)

# %% message: labels -1 and 1
probabilities, labels = torch.rand(6), torch.tensor([-1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
loss = loss_fn(probabilities, labels)
# %% fixed
probabilities, labels = torch.rand(6), torch.tensor([-1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
loss = loss_fn(probabilities, (labels > 0).float())

# %% message: class indices as targets
loss = loss_fn(torch.rand(3), torch.tensor([0.0, 2.0, 1.0]))
# %% fixed
labels = torch.tensor([0, 2, 1])
loss = nn.CrossEntropyLoss()(torch.randn(3, 3), labels)

# %% message: log-probabilities, in a class that trains


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.BCELoss(weight=torch.tensor([1.0, 3.0]))

    def training_step(self, inputs, targets):
        return self.criterion(self.model(inputs), targets)


Trainer(nn.Sequential(nn.Linear(8, 2), nn.LogSoftmax(dim=1))).training_step(torch.randn(4, 8), torch.eye(2).repeat(2, 1))

# %% right: probabilities of exactly 0 and 1, soft targets
predictions, targets = torch.tensor([0.0, 1.0, 0.4]), torch.tensor([0.1, 0.9, 0.5])
loss = loss_fn(predictions, targets)

# %% right: logits for the loss that takes logits
loss_fn = nn.BCEWithLogitsLoss()
predictions, targets = nn.Linear(8, 1)(torch.randn(32, 8)), torch.ones(32, 1)
loss = loss_fn(predictions, targets)
