import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(320, 8), torch.randn(320, 1)), batch_size=8, shuffle=True)
model = nn.Linear(8, 1)


def train_epoch(optimizer, each_batch=None):
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        if each_batch is not None:
            each_batch.step()


# %% StepLR with Adam, stepped after each batch
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.1)
for epoch in range(3):
    train_epoch(optimizer, scheduler)
# %% fixed
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.1)
for epoch in range(3):
    train_epoch(optimizer)
    scheduler.step()

# %% MultiStepLR whose milestones are epochs
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[5, 10, 15, 20], gamma=0.1)
for epoch in range(3):
    train_epoch(optimizer, scheduler)

# %% right: OneCycleLR, which counts batches
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=3 * len(loader))
for epoch in range(3):
    train_epoch(optimizer, scheduler)

# %% right: a decay made for batches
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.999)
for epoch in range(3):
    train_epoch(optimizer, scheduler)

# %% watched: a schedule of epochs inside a class, stepped by each training step
class Trainer:
    def __init__(self, model):
        self.model, self.optimizer = model, torch.optim.AdamW(model.parameters(), lr=3e-3)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda epoch: 0.7**epoch)

    def fit(self, epochs):
        for epoch in range(epochs):
            for inputs, targets in loader:
                self.optimizer.zero_grad()
                nn.functional.l1_loss(self.model(inputs), targets).backward()
                self.optimizer.step()
                self.scheduler.step()


Trainer(nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))).fit(4)

# %% right: a cosine over all batches, after a warm-up
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, 1e-4, total_iters=20)
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4 * len(loader) - 20)
scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm_up, cosine], [20])
for epoch in range(4):
    train_epoch(optimizer, scheduler)

# %% right: warm restarts, within each pass
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, len(loader) // 2)
for epoch in range(3):
    train_epoch(optimizer, scheduler)

# %% watched: gone in the third pass only, behind a validation pass each
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
for epoch in range(10):
    train_epoch(optimizer, scheduler)
    with torch.no_grad():
        error = sum(nn.functional.mse_loss(model(inputs), targets) for inputs, targets in loader)

# %% right: stepped once an epoch, more epochs than batches
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randn(32, 1)), batch_size=16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
for epoch in range(60):
    train_epoch(optimizer)
    scheduler.step()

# %% right: a line to 0 over all batches
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / 160)
for epoch in range(4):
    train_epoch(optimizer, scheduler)

# %% watched: batches that are slices of one tensor
inputs, targets = torch.randn(320, 8), torch.randn(320, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.85)
for epoch in range(6):
    for start in range(0, 320, 16):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs[start : start + 16]), targets[start : start + 16]).backward()
        optimizer.step()
        scheduler.step()
