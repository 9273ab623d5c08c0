import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

# FakeTensorMode replaces the GPU; torch.autocast("cuda") turns itself off without one, so it is switched on by hand.
region = torch.autocast("cuda", dtype=torch.float16, enabled=False)

# %% a classifier of images that ends in a sigmoid
criterion = nn.BCELoss()
with FakeTensorMode(), torch.device("cuda"), region:
    torch.set_autocast_enabled("cuda", True)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8 * 14 * 14, 5), nn.Sigmoid())
    predictions = model(torch.rand(4, 3, 16, 16))
    loss = criterion(predictions, torch.ones(4, 5))

# %% bfloat16, and a weight for each class
with FakeTensorMode(), torch.device("cuda"), region:
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", torch.bfloat16)
    criterion = nn.BCELoss(weight=torch.tensor([1.0, 3.0]))
    predictions = nn.Linear(8, 2)(torch.rand(4, 8)).sigmoid()
    loss = criterion(predictions, torch.ones(4, 2))

# %% message: a function of a library that casts before the loss
def box_loss(scores, targets):
    return nn.functional.binary_cross_entropy(scores.float().sqrt(), targets, reduction="none").sum()


with FakeTensorMode(), torch.device("cuda"), region:
    torch.set_autocast_enabled("cuda", True)
    loss = box_loss(torch.rand(8, 3).half(), torch.ones(8, 3))

# %% message: probabilities in float32
with FakeTensorMode(), torch.device("cuda"), region:
    torch.set_autocast_enabled("cuda", True)
    loss = nn.BCELoss()(torch.rand(8), torch.ones(8))

# %% message: in a class that trains


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.BCELoss()

    def training_step(self, inputs, targets):
        return self.criterion(self.model(inputs).sigmoid().squeeze(1), targets)


with FakeTensorMode(), torch.device("cuda"), region:
    torch.set_autocast_enabled("cuda", True)
    Trainer(nn.Linear(8, 1)).training_step(torch.rand(8, 8), torch.ones(8))

# %% right: logits in the region
criterion = nn.BCEWithLogitsLoss()
with FakeTensorMode(), torch.device("cuda"), region:
    torch.set_autocast_enabled("cuda", True)
    predictions = nn.Linear(8, 1)(torch.rand(8, 8))
    loss = criterion(predictions, torch.ones(8, 1))

# %% right: autocast on the CPU
criterion = nn.BCELoss()
with torch.autocast("cpu", dtype=torch.bfloat16):
    predictions = nn.Linear(8, 1)(torch.rand(8, 8)).sigmoid()
    loss = criterion(predictions, torch.ones(8, 1))

# %% right: float32 outside of the region
criterion = nn.BCELoss()
with FakeTensorMode(), torch.device("cuda"):
    predictions = nn.Linear(8, 1)(torch.rand(8, 8)).sigmoid()
    loss = criterion(predictions, torch.ones(8, 1))
