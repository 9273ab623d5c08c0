import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 1))
# "aot_eager" needs no C++ compiler; "inductor", the default, says the same.
compiled = torch.compile(critic, backend="aot_eager")
images = torch.randn(8, 16, requires_grad=True)
scores = compiled(images)
(gradients,) = torch.autograd.grad(scores.sum(), images, create_graph=True)
penalty = (gradients.norm(dim=1) - 1).square().mean()
penalty.backward()  # error
print(f"penalty: {penalty.item():.2f}")
