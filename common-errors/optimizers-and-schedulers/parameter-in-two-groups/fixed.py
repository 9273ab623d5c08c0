import torch
from torch import nn

torch.manual_seed(0)
model = nn.ModuleDict({"backbone": nn.Linear(32, 16), "head": nn.Linear(16, 5)})

# A larger learning rate for the new head.
head = {id(parameter) for parameter in model["head"].parameters()}
groups = [
    # All but the head: each parameter belongs to one group.
    {"params": [parameter for parameter in model.parameters() if id(parameter) not in head], "lr": 1e-5},
    {"params": list(model["head"].parameters()), "lr": 1e-3},
]
optimizer = torch.optim.AdamW(groups)
print(f"groups: {[(len(group['params']), group['lr']) for group in optimizer.param_groups]}")
