import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
# The first run trained the head only.
first = torch.optim.Adam(model[2].parameters(), lr=1e-3)
checkpoint = {"model": model.state_dict(), "optimizer": first.state_dict()}

optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
optimizer.load_state_dict(checkpoint["optimizer"])  # error
print(f"groups: {[len(group['params']) for group in optimizer.param_groups]}")
