import torch
from torch import nn

config = {"device": "gpu", "hidden": 32}  # as read from a configuration file

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, config["hidden"]), nn.ReLU(), nn.Linear(config["hidden"], 2))
model.to(config["device"])  # error
print(f"a known device: {next(model.parameters()).device.type in ('cpu', 'cuda')}")
