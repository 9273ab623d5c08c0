import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
# The first run trained the head only.
first = torch.optim.Adam(model[2].parameters(), lr=1e-3)
checkpoint = {"model": model.state_dict(), "optimizer": first.state_dict()}

# Rebuild the groups as they were, load, then add the new parameters as a group of their own.
optimizer = torch.optim.Adam(model[2].parameters(), lr=1e-3)
optimizer.load_state_dict(checkpoint["optimizer"])
optimizer.add_param_group({"params": model[0].parameters(), "lr": 1e-4})
# The next checkpoint has two groups: create both before loading that one.
checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
print(f"groups: {[len(group['params']) for group in optimizer.param_groups]}")
