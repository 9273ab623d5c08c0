import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(64, 12)
targets = {"price": torch.randn(64, 1), "area": torch.randn(64, 1)}
heads = nn.ModuleDict({task: nn.Linear(12, 1) for task in targets})

losses = {}
for task, target in targets.items():
    losses[task] = nn.functional.mse_loss(heads[task](features), target).item()
total = sum(losses.values())
total.backward()  # error
print(f"parameters_with_grad={sum(p.grad is not None for p in heads.parameters())}")
