import torch
from torch import nn

model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters())

# %% a checkpoint that was stripped for publishing
checkpoint, key = {"model": model.state_dict(), "optimizer": None}, "optimizer"
optimizer.load_state_dict(checkpoint[key])

# %% read with get
checkpoint, key = {"state_dict": model.state_dict(), "epoch": 7}, "optimizer_state"
optimizer.load_state_dict(checkpoint.get(key))

# %% a scheduler that was not saved
checkpoint, key = {"model": model.state_dict(), "scheduler": None}, "scheduler"
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)
scheduler.load_state_dict(checkpoint[key])

# %% a scaler that was not saved
checkpoint, key = {"model": model.state_dict(), "scaler": None}, "scaler"
scaler = torch.amp.GradScaler("cpu")
scaler.load_state_dict(checkpoint[key])

# %% a scaler that was switched off when it was saved
checkpoint, key = {"scaler": torch.amp.GradScaler("cpu", enabled=False).state_dict()}, "scaler"
scaler = torch.amp.GradScaler("cpu")
scaler.load_state_dict(checkpoint[key])
# %% fixed
checkpoint, key = {"scaler": torch.amp.GradScaler("cpu", enabled=False).state_dict()}, "scaler"
scaler = torch.amp.GradScaler("cpu")
if checkpoint["scaler"]:
    scaler.load_state_dict(checkpoint[key])
key = "epoch"
checkpoint["epoch"] = 3

# %% message: a scheduler that starts at epoch 10 with a new optimizer
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, last_epoch=9)
# %% fixed
state = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5).state_dict()
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5)
scheduler.load_state_dict(state)

# %% right: saved with its state
checkpoint, key = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "optimizer"
optimizer.load_state_dict(checkpoint[key])

# %% right: a fresh optimizer, which has no moments yet
checkpoint, key = {"optimizer": torch.optim.SGD(model.parameters(), lr=0.1).state_dict()}, "optimizer"
torch.optim.SGD(model.parameters(), lr=0.1).load_state_dict(checkpoint[key])

# %% undecided: saved with its state, under a different key
checkpoint, key = {"model": model.state_dict(), "optimizers": [optimizer.state_dict()]}, "optimizer"
optimizer.load_state_dict(checkpoint["optimizers"][0])
