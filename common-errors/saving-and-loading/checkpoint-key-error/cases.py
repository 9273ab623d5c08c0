import torch
from torch import nn

model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% another name for the weights
checkpoint, key = {"epoch": 3, "model": model.state_dict()}, "state_dict"
model.load_state_dict(checkpoint["state_dict"])

# %% the weights alone
checkpoint, key = model.state_dict(), "model"
model.load_state_dict(checkpoint["model"])

# %% no state of the optimizer
checkpoint, key = {"model": model.state_dict()}, "optimizer_state_dict"
optimizer.load_state_dict(checkpoint["optimizer_state_dict"])

# %% the weights in place of the optimizer's state
checkpoint, key = model.state_dict(), "param_groups"
optimizer.load_state_dict(checkpoint)

# %% a super-resolution model
checkpoint, key = {"params": model.state_dict()}, "params_ema"
model.load_state_dict(checkpoint["params_ema"])

# %% message: a generator
checkpoint = {"g": model.state_dict()}
model.load_state_dict(checkpoint["generator"])

# %% right: an optional entry
checkpoint, key = {"model": model.state_dict()}, "model"
model.load_state_dict(checkpoint["model"])
print(checkpoint.get("epoch", 0))

# %% right: one of several layouts
checkpoint, key = {"state_dict": model.state_dict()}, "state_dict"
model.load_state_dict(checkpoint["state_dict"] if "state_dict" in checkpoint else checkpoint)
