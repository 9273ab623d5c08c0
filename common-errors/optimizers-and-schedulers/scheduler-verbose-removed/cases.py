import torch
from torch import nn
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LRScheduler,
    OneCycleLR,
    StepLR,
)

model = nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

# %% a step schedule
scheduler_class, options = StepLR, {"step_size": 30, "gamma": 0.1, "verbose": True}
scheduler = scheduler_class(optimizer, **options)
# %% fixed
scheduler_class, options = StepLR, {"step_size": 30, "gamma": 0.1}
scheduler = scheduler_class(optimizer, **options)
print(scheduler.get_last_lr())

# %% verbose=False, as a configuration file has it
scheduler_class, options = CosineAnnealingLR, {"T_max": 50, "eta_min": 1e-6, "verbose": False}
scheduler = scheduler_class(optimizer, **options)

# %% a warm-up of one's own
scheduler_class, options = LambdaLR, {"lr_lambda": lambda step: min(1.0, step / 500), "verbose": True}
scheduler = scheduler_class(optimizer, **options)

# %% one cycle
scheduler_class, options = OneCycleLR, {"max_lr": 1e-2, "total_steps": 100, "verbose": True}
scheduler = scheduler_class(optimizer, **options)


# %% message: a class that passes it on by position
class Warmup(LRScheduler):
    def __init__(self, optimizer, steps, last_epoch=-1, verbose=False):
        self.steps = steps
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        return [base * min(1.0, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]


scheduler = Warmup(optimizer, 100)
# %% fixed
class Warmup(LRScheduler):
    def __init__(self, optimizer, steps, last_epoch=-1):
        self.steps = steps
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * min(1.0, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]


scheduler = Warmup(optimizer, 100)


# %% message: a class that passes it on by name
class Warmup(LRScheduler):
    def __init__(self, optimizer, last_epoch=-1, verbose=False):
        super().__init__(optimizer, last_epoch=last_epoch, verbose=verbose)


scheduler = Warmup(optimizer)
# %% fixed
class Warmup(LRScheduler):
    def __init__(self, optimizer, last_epoch=-1):
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return self.base_lrs


scheduler = Warmup(optimizer)

# %% message: the learning rate, printed
scheduler = ExponentialLR(optimizer, gamma=0.9)
scheduler.print_lr(True, 0, scheduler.get_last_lr()[0])
# %% fixed
scheduler = ExponentialLR(optimizer, gamma=0.9)
print(scheduler.get_last_lr())

# %% message: the attribute
scheduler = StepLR(optimizer, step_size=30)
if scheduler.verbose:
    print(optimizer.param_groups[0]["lr"])
# %% fixed
scheduler = StepLR(optimizer, step_size=30)
print(scheduler.get_last_lr())


# %% right: a class that has a verbose of its own
class Warmup(LRScheduler):
    def __init__(self, optimizer, verbose=False):
        self.verbose = verbose
        super().__init__(optimizer)

    def get_lr(self):
        return self.base_lrs


scheduler_class, options = Warmup, {"verbose": True}
scheduler = scheduler_class(optimizer, **options)

# %% right: without it
scheduler_class, options = StepLR, {"step_size": 30}
scheduler = scheduler_class(optimizer, **options)
