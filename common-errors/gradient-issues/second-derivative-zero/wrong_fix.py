import math

import torch
from torch import nn

torch.manual_seed(0)
# -u'' = pi^2 sin(pi x) with u(0) = u(1) = 0. The solution is sin(pi x).
x = torch.linspace(0, 1, 64)[:, None].requires_grad_()
solution = torch.sin(math.pi * x).detach()
ends = torch.tensor([[0.0], [1.0]])

model = nn.Sequential(nn.Linear(1, 32), nn.LeakyReLU(), nn.Linear(32, 32), nn.LeakyReLU(), nn.Linear(32, 1))  # error
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(200):
    u = model(x)
    u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
    pde = (u_xx + math.pi**2 * solution).square().mean()
    loss = pde + 100 * model(ends).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(f"step={step + 1} pde={pde.item():.1f}")

error = (model(x) - solution).norm() / solution.norm()
print(f"relative_error={error.item():.2f}")
