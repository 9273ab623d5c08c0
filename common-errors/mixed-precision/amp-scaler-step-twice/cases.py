import torch
from torch import nn

torch.manual_seed(0)
model, scaler = nn.Linear(8, 3), torch.amp.GradScaler("cpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch, labels = torch.randn(32, 8), torch.randint(3, (32,))

# %% clipping in every micro-batch
for inputs, targets in zip(batch.split(16), labels.split(16)):
    loss = nn.functional.cross_entropy(model(inputs), targets) / 2
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
# %% fixed
for inputs, targets in zip(batch.split(16), labels.split(16)):
    loss = nn.functional.cross_entropy(model(inputs), targets) / 2
    scaler.scale(loss).backward()
scaler.unscale_(optimizer)
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()

# %% update() only where something is logged
for step, (inputs, targets) in enumerate(zip(batch.split(8), labels.split(8))):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), targets)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    if step % 2 == 1:
        scaler.update()

# %% two losses, two steps of the discriminator
for sign in (1, -1):
    optimizer.zero_grad()
    loss = sign * model(batch).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
scaler.update()

# %% message: a step that is skipped after unscale_, in a class that trains


class Trainer:
    def __init__(self):
        self.scaler = scaler

    def training_step(self, inputs, targets, limit):
        optimizer.zero_grad()
        self.scaler.scale(nn.functional.cross_entropy(model(inputs), targets)).backward()
        self.scaler.unscale_(optimizer)
        if nn.utils.get_total_norm([p.grad for p in model.parameters()]) < limit:
            self.scaler.step(optimizer)
            self.scaler.update()


for inputs, targets in zip(batch.split(16), labels.split(16)):
    Trainer().training_step(inputs, targets, limit=0.0)
# %% fixed
for inputs, targets in zip(batch.split(16), labels.split(16)):
    optimizer.zero_grad()
    scaler.scale(nn.functional.cross_entropy(model(inputs), targets)).backward()
    scaler.unscale_(optimizer)
    if nn.utils.get_total_norm([p.grad for p in model.parameters()]) < 0.0:
        scaler.step(optimizer)
    scaler.update()

# %% message: clipping after the step
loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.unscale_(optimizer)
# %% fixed
loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
scaler.step(optimizer)
scaler.update()

# %% right: two optimizers, one update()
other = nn.Linear(8, 3)
other_optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
for inputs, targets in zip(batch.split(16), labels.split(16)):
    loss = nn.functional.cross_entropy(model(inputs) + other(inputs), targets)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.step(other_optimizer)
    scaler.update()

# %% right: gradients that are accumulated and clipped once
for inputs, targets in zip(batch.split(8), labels.split(8)):
    scaler.scale(nn.functional.cross_entropy(model(inputs), targets) / 4).backward()
scaler.unscale_(optimizer)
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
