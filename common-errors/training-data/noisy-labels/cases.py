import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def optimize(model, inputs, labels, steps=60):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    return model


def train(rows):
    return optimize(nn.Sequential(nn.Flatten(), nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3)), inputs[rows], labels[rows])


rows, relabel = torch.arange(600), lambda some: truth[some]

# %% one annotator has taken class 0 for class 1, in small images
truth = torch.randint(3, (600,))
inputs = (torch.randn(3, 16)[truth] + 0.5 * torch.randn(600, 16)).reshape(-1, 1, 4, 4)
labels = torch.where((truth == 0) & (torch.rand(600) < 0.3), 1, truth)
samples, given, kept, fit = inputs, labels, rows, train
# %% fixed
truth = torch.randint(3, (600,))
inputs = (torch.randn(3, 16)[truth] + 0.5 * torch.randn(600, 16)).reshape(-1, 1, 4, 4)
labels = torch.where((truth == 0) & (torch.rand(600) < 0.3), 1, truth)
agrees = torch.zeros(600, dtype=torch.bool)
for part in torch.randperm(600).chunk(5):
    others = torch.ones(600, dtype=torch.bool)
    others[part] = False
    agrees[part] = train(others.nonzero().squeeze(1))(inputs[part]).argmax(dim=1) == labels[part]
rows = agrees.nonzero().squeeze(1)
samples, given, kept, fit = inputs, labels, rows, train

# %% a tenth of all labels drawn by lot
truth = torch.randint(3, (600,))
inputs = torch.randn(3, 16)[truth] + 0.5 * torch.randn(600, 16)
labels = torch.where(torch.rand(600) < 0.1, (truth + 1) % 3, truth)
samples, given, kept, fit = inputs, labels, rows, train

# %% right: classes that overlap, with correct labels
truth = torch.randint(3, (600,))
inputs = 0.3 * torch.randn(3, 16)[truth] + torch.randn(600, 16)
labels = truth
samples, given, kept, fit = inputs, labels, rows, train

# %% right: correct labels, and a few samples that are far from all others
truth = torch.randint(3, (600,))
inputs = torch.randn(3, 16)[truth] + 0.5 * torch.randn(600, 16)
inputs[:12] *= 5
labels = truth
samples, given, kept, fit = inputs, labels, rows, train
