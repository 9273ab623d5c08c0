import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = torch.randn(64, 8), torch.randint(3, (64,))


def train(model, given=inputs, steps=6):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(given), labels).backward()
        optimizer.step()

# %% all weights of a convolutional network are zero
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(128, 3))
for parameter in model.parameters():
    nn.init.zeros_(parameter)
train(model, torch.rand(64, 1, 8, 8))
# %% fixed
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(128, 3))
for parameter in model.parameters():
    if parameter.dim() > 1:
        nn.init.kaiming_normal_(parameter, nonlinearity="relu")
train(model, torch.rand(64, 1, 8, 8))

# %% a layer of one's own, from torch.ones
class Layer(nn.Module):
    def __init__(self, width, units):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(units, width) / width)

    def forward(self, x):
        return torch.tanh(F.linear(x, self.weight))


model = nn.Sequential(Layer(8, 16), nn.Linear(16, 3))
nn.init.constant_(model[1].weight, 0.5)
train(model)

# %% right: the last layer begins at zero
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
nn.init.zeros_(model[2].weight)
train(model)

# %% right: a low-rank change whose second matrix begins at zero, beside frozen weights
class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(8, 3).requires_grad_(False)
        self.down, self.up = nn.Linear(8, 2, bias=False), nn.Linear(2, 3, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


model = Adapted()
train(model)
