import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, targets = torch.randn(64, 8), torch.randint(2, (64, 1)).float()


def train(model, loss_of, steps=5):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss

# %% a class that ends in torch.sigmoid, with weights for the positive class
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 1)

    def forward(self, x):
        return torch.sigmoid(self.last(F.gelu(self.first(x)))).squeeze(1)


model, positive = Net(), torch.tensor(3.0)
given = model(inputs)
train(model, lambda: F.binary_cross_entropy_with_logits(model(inputs), targets[:, 0], pos_weight=positive))
# %% fixed
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.last(F.gelu(self.first(x))).squeeze(1)


model, positive = Net(), torch.tensor(3.0)
given = model(inputs)
train(model, lambda: F.binary_cross_entropy_with_logits(model(inputs), targets[:, 0], pos_weight=positive))

# %% masks of a segmentation, whose pixels are probabilities already
model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1), nn.Sigmoid())
images, masks = torch.rand(4, 1, 8, 8), torch.randint(2, (4, 1, 8, 8)).float()
given = model(images)
train(model, lambda: nn.BCEWithLogitsLoss()(model(images), masks))

# %% watched: a second sigmoid before BCELoss, in half precision
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())


def loss_of():
    with torch.autocast("cpu", torch.bfloat16):
        given = torch.sigmoid(model(inputs))
    return F.binary_cross_entropy(given.float(), targets)


train(model, loss_of)

# %% right: gates inside the model are sigmoids
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.value, self.gate, self.last = nn.Linear(8, 16), nn.Linear(8, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.last(self.value(x) * torch.sigmoid(self.gate(x)))


model = Gated()
given = model(inputs)
train(model, lambda: F.binary_cross_entropy_with_logits(model(inputs), targets))

# %% right: a sigmoid before BCELoss
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
given = model(inputs)
train(model, lambda: F.binary_cross_entropy(torch.sigmoid(model(inputs)), targets))

# %% watched: probabilities that are clamped before the loss
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1), nn.Sigmoid())
train(model, lambda: F.binary_cross_entropy_with_logits(model(inputs).clamp(1e-6, 1 - 1e-6), targets))
