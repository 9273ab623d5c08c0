import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
batches = torch.randn(12, 4, 8)


def update(optimizer):
    optimizer.zero_grad()
    model(batches[0]).square().mean().backward()
    optimizer.step()


# %% the scheduler first, for each batch
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=100)


def some_batches():
    for _ in batches:
        scheduler.step()
        update(optimizer)


some_batches()
# %% fixed
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=100)


def some_batches():
    for _ in batches:
        optimizer.zero_grad()
        model(batches[0]).square().mean().backward()
        optimizer.step()
        scheduler.step()


some_batches()

# %% gradients are accumulated, and the scheduler is stepped for each batch
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)


def some_batches():
    for number, batch in enumerate(batches, start=1):
        (model(batch).square().mean() / 4).backward()
        if number % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()


some_batches()

# %% the optimizer is created again after the scheduler
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def some_batches():
    update(optimizer)
    scheduler.step()


some_batches()

# %% message: the schedule is moved forward to resume
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
for _ in range(20):
    scheduler.step()

# %% message: the first update is skipped by a GradScaler
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=3e38)
scaler.scale(100 * model(batches[0]).square().sum()).backward()
scaler.step(optimizer)
scaler.update()
scheduler.step()

# %% message: a library replaced optimizer.step
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
optimizer.step = lambda closure=None: None
update(optimizer)
scheduler.step()
# %% fixed
class Counting(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)


optimizer = Counting(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
update(optimizer)
scheduler.step()

# %% right: after each epoch
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)


def some_batches():
    for _ in batches:
        update(optimizer)
    scheduler.step(1.0)


some_batches()

# %% right: accumulated, both under the same condition
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer)


def some_batches():
    for number, batch in enumerate(batches, start=1):
        (model(batch).square().mean() / 4).backward()
        if number % 4 == 0:
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


some_batches()
