import torch
from torch import nn

# PyTorch's name for a GPU of NVIDIA or AMD is "cuda"; this also works on a machine without one.
config = {"device": "cuda" if torch.cuda.is_available() else "cpu", "hidden": 32}

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, config["hidden"]), nn.ReLU(), nn.Linear(config["hidden"], 2))
model.to(config["device"])
print(f"a known device: {next(model.parameters()).device.type in ('cpu', 'cuda')}")
