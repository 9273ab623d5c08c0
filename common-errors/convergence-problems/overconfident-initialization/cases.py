import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = torch.randn(256, 20), torch.randint(10, (256,))


def train(model):
    optimizer = torch.optim.Adam(model.parameters())
    F.cross_entropy(model(inputs), labels).backward()
    optimizer.step()


# %% weights of a standard deviation of 1
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
for layer in (model[0], model[2]):
    nn.init.normal_(layer.weight)
logits = model(inputs)

# %% logits that are divided by a temperature
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
logits = model(inputs) / 0.01

# %% right: the default initialization
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
logits = model(inputs)
train(model)

# %% right: a head that begins at zero
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
nn.init.zeros_(model[2].weight)
logits = model(inputs)
train(model)
