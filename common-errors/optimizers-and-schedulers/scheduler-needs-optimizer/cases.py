import torch
from torch import nn
from torch.optim import lr_scheduler

# %% the parameters instead of the optimizer
model = nn.Linear(8, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
given = model.parameters()
scheduler = lr_scheduler.CosineAnnealingLR(given, T_max=50)
# %% fixed
model = nn.Linear(8, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
given = optimizer
scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=50)

# %% one scheduler for two optimizers
generator, discriminator = nn.Linear(4, 8), nn.Linear(8, 1)
given = [torch.optim.Adam(generator.parameters()), torch.optim.Adam(discriminator.parameters())]
schedulers = lr_scheduler.ExponentialLR(given, gamma=0.95)
# %% fixed
generator, discriminator = nn.Linear(4, 8), nn.Linear(8, 1)
optimizers = [torch.optim.Adam(generator.parameters()), torch.optim.Adam(discriminator.parameters())]
given = optimizers[0]
schedulers = [lr_scheduler.ExponentialLR(optimizer, gamma=0.95) for optimizer in optimizers]

# %% a scheduler around a scheduler
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
given = lr_scheduler.LinearLR(optimizer, total_iters=5)
scheduler = lr_scheduler.StepLR(given, step_size=10)
# %% fixed
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
given = optimizer
warmup = lr_scheduler.LinearLR(optimizer, total_iters=5)
steps = lr_scheduler.StepLR(optimizer, step_size=10)
scheduler = lr_scheduler.SequentialLR(optimizer, [warmup, steps], milestones=[5])

# %% an object that wraps an optimizer
class Lookahead:
    def __init__(self, optimizer):
        self.optimizer = optimizer


given = Lookahead(torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1))
scheduler = lr_scheduler.ReduceLROnPlateau(given, patience=3)
# %% fixed
class Lookahead:
    def __init__(self, optimizer):
        self.optimizer = optimizer


wrapper = Lookahead(torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1))
given = wrapper.optimizer
scheduler = lr_scheduler.ReduceLROnPlateau(given, patience=3)

# %% the model instead of the optimizer
given = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
scheduler = lr_scheduler.OneCycleLR(given, max_lr=0.1, total_steps=100)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
given = optimizer
scheduler = lr_scheduler.OneCycleLR(given, max_lr=0.1, total_steps=100)

# %% a comma behind the optimizer makes a tuple
given = (torch.optim.SGD(nn.Linear(8, 2).parameters(), lr=0.1),)
scheduler = lr_scheduler.MultiStepLR(given, milestones=[30, 60])

# %% message: the class, in a scheduler with a function
scheduler = lr_scheduler.LambdaLR(torch.optim.Adam, lambda epoch: 0.95**epoch)
# %% fixed
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.95**epoch)

# %% right: an optimizer of one's own
class SignSGD(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})


given = SignSGD(nn.Linear(8, 2).parameters(), lr=0.1)
scheduler = lr_scheduler.StepLR(given, step_size=10)
