import torch
from torch import nn

torch.manual_seed(0)
model = nn.ModuleDict({"backbone": nn.Linear(32, 16), "head": nn.Linear(16, 5)})

# A larger learning rate for the new head.
groups = [
    {"params": list(model.parameters()), "lr": 1e-5},
    {"params": list(model["head"].parameters()), "lr": 1e-3},
]
optimizer = torch.optim.AdamW(groups)  # error
print(f"groups: {[(len(group['params']), group['lr']) for group in optimizer.param_groups]}")
