import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = torch.randn(24, 6), torch.randint(3, (24,))


def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    F.cross_entropy(model(inputs), labels).backward()
    optimizer.step()


# %% weights of a pooling that are normalized over the batch
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.head = nn.Linear(6, 1), nn.Linear(6, 3)

    def forward(self, inputs):
        return self.head(inputs * self.score(inputs).softmax(dim=0))


model = Gated()
train(model)


# %% rows that are shifted by one
class Shifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 16), nn.Linear(16, 3)

    def forward(self, inputs):
        hidden = self.first(inputs).relu()
        return self.head(hidden + hidden.roll(1))


model = Shifted()
train(model)

# %% right: batch normalization, whose evaluation mode uses running statistics
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
train(model)


# %% right: a loss over pairs
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, inputs):
        return F.normalize(self.layers(inputs))


model = Encoder()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.cross_entropy(model(inputs) @ model(inputs + 0.1).T, torch.arange(24)).backward()
optimizer.step()

# %% undecided: weights that are NaN
model = nn.Linear(inputs.shape[1], 4)
nn.init.constant_(model.weight, float("nan"))
