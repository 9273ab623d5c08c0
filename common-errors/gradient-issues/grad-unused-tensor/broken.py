import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))

points = torch.rand(64, 2, requires_grad=True)  # columns: time and position
u = model(points)

# The residual of the advection equation u_t + u_x = 0
t, x = points[:, :1], points[:, 1:]
u_t, u_x = torch.autograd.grad(u.sum(), [t, x], create_graph=True)  # error
loss = (u_t + u_x).square().mean()
loss.backward()
print(f"loss={loss.item():.4f}")
