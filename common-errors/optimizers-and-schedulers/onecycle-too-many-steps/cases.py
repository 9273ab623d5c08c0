import math

import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def update():
    optimizer.zero_grad()
    model(torch.ones(2, 4)).mean().backward()
    optimizer.step()


# %% planned in epochs, stepped for each batch
epochs, loader = 3, range(10)
scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=epochs)
for epoch in range(epochs):
    for batch in loader:
        update()
        scheduler.step()

# %% a schedule of another dataset
epochs, loader = 2, range(30)
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=20)
for epoch in range(epochs):
    for batch in loader:
        update()
        scheduler.step()

# %% resumed for more epochs than it was planned for
epochs, loader = 4, range(10)
first = OneCycleLR(optimizer, max_lr=0.1, epochs=2, steps_per_epoch=10)
for step in range(20):
    update()
    first.step()
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=10)
scheduler.load_state_dict(first.state_dict())
for step in range(20):
    update()
    scheduler.step()

# %% stepped twice in each iteration
epochs, loader = 3, range(400)
scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=1200)
for step in range(1200):
    update()
    scheduler.step()
    scheduler.step()

# %% message: neither a total nor epochs
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=5)

# %% message: an empty loader
scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=5 * len([]))

# %% message: a number of steps that is a float
n = 1000 / 32
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=5, steps_per_epoch=n)
# %% fixed
n = 1000 / 32
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=5, steps_per_epoch=math.ceil(n))

# %% right: the remaining batches of an accumulation are dropped
epochs, per_epoch = 3, 10 // 4
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=per_epoch)
for step in range(6):
    update()
    scheduler.step()

# %% right: as many steps as planned
epochs, loader = 3, range(10)
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=len(loader))
for step in range(30):
    update()
    scheduler.step()
