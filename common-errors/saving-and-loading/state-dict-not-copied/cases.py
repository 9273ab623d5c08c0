import copy
import io

import torch
from torch import nn

torch.manual_seed(0)
inputs, targets = torch.randn(64, 8), torch.randn(64, 1)
file = io.BytesIO()


def train(model, optimizer, steps=5):
    for step in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()

# %% the best state is saved at the end, in a checkpoint
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
best, best_loss = {}, float("inf")
for epoch in range(3):
    train(model, optimizer)
    loss = (epoch - 1) ** 2  # as of a validation
    if loss < best_loss:
        best, best_loss = {"epoch": epoch, "model": model.state_dict()}, loss
torch.save(best, file)
best_state = best["model"]
# %% fixed
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
best, best_loss = {}, float("inf")
for epoch in range(3):
    train(model, optimizer)
    loss = (epoch - 1) ** 2  # as of a validation
    if loss < best_loss:
        best, best_loss = {"epoch": epoch, "model": copy.deepcopy(model.state_dict())}, loss
torch.save(best, file)
best_state = best["model"]

# %% a shallow copy, for the weights before a trial step
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
train(model, optimizer)
best_state = model.state_dict().copy()
train(model, optimizer, steps=1)
model.load_state_dict(best_state)

# %% watched: averaged weights for a validation, and back
model = nn.Linear(8, 1)
averaged = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    train(model, optimizer)
    own = model.state_dict()
    model.load_state_dict(averaged.state_dict())
    val_loss = nn.functional.mse_loss(model(inputs), targets).item()
    model.load_state_dict(own)

# %% watched: the states of two models, of which the second is saved later
models = nn.Linear(8, 1), nn.Linear(8, 1)
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
states = []
for epoch in range(2):
    for model, optimizer in zip(models, optimizers):
        train(model, optimizer)
        states.append(model.state_dict())
torch.save(states[1], file)

# %% right: the newest state is saved after every epoch, and a target network follows
model, target = nn.Linear(8, 1), nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    train(model, optimizer)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    target.load_state_dict(model.state_dict())
best_state = copy.deepcopy(model.state_dict())

# %% right: pretrained weights replace a part of the state, and the best state goes through a file
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
model.load_state_dict({**model.state_dict(), "0.bias": torch.zeros(16)})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    train(model, optimizer)
    if epoch == 1:
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
best_state = torch.load(io.BytesIO(file.getvalue()))
model.load_state_dict(best_state)
