import torch

torch.manual_seed(0)
target = torch.rand(3, 32, 32)
# Compute first, then request the gradient: the result is the leaf.
image = (torch.randn(3, 32, 32) * 0.01).requires_grad_()
optimizer = torch.optim.Adam([image], lr=0.05)
for _ in range(50):
    optimizer.zero_grad()
    loss = (image - target).square().mean()
    loss.backward()
    optimizer.step()
print(f"loss: {loss.item():.3f}")
