import torch

torch.manual_seed(0)
target = torch.rand(3, 32, 32)
image = torch.randn(3, 32, 32, requires_grad=True) * 0.01
optimizer = torch.optim.Adam([image], lr=0.05)  # error
for _ in range(50):
    optimizer.zero_grad()
    loss = (image - target).square().mean()
    loss.backward()
    optimizer.step()
print(f"loss: {loss.item():.3f}")
