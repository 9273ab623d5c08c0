import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))

points = torch.rand(64, 2, requires_grad=True)  # columns: time and position
# Slice first and compute u from the slices, so that they are part of its graph.
t, x = points[:, :1], points[:, 1:]
u = model(torch.cat([t, x], dim=1))

# The residual of the advection equation u_t + u_x = 0
u_t, u_x = torch.autograd.grad(u.sum(), [t, x], create_graph=True)
loss = (u_t + u_x).square().mean()
loss.backward()
print(f"loss={loss.item():.4f}")
