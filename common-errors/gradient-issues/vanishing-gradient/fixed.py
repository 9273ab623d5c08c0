import torch
from torch import nn

torch.manual_seed(0)
# Two classes in opposite quadrants of a square: easy for a small network, and a deep one should do at least as well.
points = torch.rand(256, 2) * 2 - 1
labels = (points[:, :1] * points[:, 1:] > 0).float()

first, last = nn.Linear(2, 32), nn.Linear(32, 1)
layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(24))
optimizer = torch.optim.AdamW([*first.parameters(), *layers.parameters(), *last.parameters()], lr=0.001)

first_grads = []
for step in range(101):
    hidden = first(points)
    for layer in layers:
        hidden = hidden + torch.relu(layer(nn.functional.layer_norm(hidden, (32,))))  # the sum passes the gradient on
    loss = nn.functional.binary_cross_entropy_with_logits(last(hidden), labels)
    optimizer.zero_grad()
    loss.backward()
    first_grads.append(first.weight.grad.norm().item())
    optimizer.step()
    if step % 5 == 0:
        print(f"step={step} loss={loss.item():.4f} first_grad={first_grads[-1]:.2g}")

print(f"largest_first_grad={max(first_grads):.2g}")
