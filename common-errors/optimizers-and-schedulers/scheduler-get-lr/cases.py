import torch
from torch import nn

optimizer = torch.optim.SGD(nn.Linear(4, 1).parameters(), lr=0.1)

# %% a step of StepLR
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
for _ in range(2):
    optimizer.step()
    scheduler.step()
read_lr = scheduler.get_lr
shown = read_lr()[0]
# %% fixed
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
for _ in range(2):
    optimizer.step()
    scheduler.step()
read_lr = scheduler.get_last_lr
shown = read_lr()[0]

# %% a cosine
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
for _ in range(4):
    optimizer.step()
    scheduler.step()
read_lr = scheduler.get_lr
shown = read_lr()[0]

# %% warmup
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=5)
optimizer.step()
scheduler.step()
read_lr = scheduler.get_lr
shown = read_lr()[0]

# %% message: a function of the step, for which both agree
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda step: 0.5**step)
read_lr = scheduler.get_lr
shown = read_lr()[0]

# %% message: the number of the epoch
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
for epoch in range(3):
    optimizer.step()
    scheduler.step(epoch)
# %% fixed
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
for epoch in range(3):
    optimizer.step()
    scheduler.step()

# %% message: the loss, for a scheduler that takes none
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
optimizer.step()
val_loss = 0.34
scheduler.step(val_loss)
# %% fixed
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
optimizer.step()
val_loss = 0.34
scheduler.step(val_loss)

# %% right: read from the optimizer
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
optimizer.step()
read_lr = lambda: [optimizer.param_groups[0]["lr"]]
shown = read_lr()[0]

# %% right: warm restarts take fractions of an epoch
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=10)
for batch in range(4):
    optimizer.step()
    scheduler.step(batch / 4)
read_lr = scheduler.get_last_lr
shown = read_lr()[0]
