import torch
from torch import nn
from torch._six import inf  # error


def gradient_norm(parameters, norm_type=2.0):
    norms = [parameter.grad.norm(norm_type) for parameter in parameters]
    return max(norms) if norm_type == inf else torch.stack(norms).norm(norm_type)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
model(torch.randn(8, 16)).mean().backward()
print(f"largest gradient: {gradient_norm(model.parameters(), inf).isfinite().item()}")
