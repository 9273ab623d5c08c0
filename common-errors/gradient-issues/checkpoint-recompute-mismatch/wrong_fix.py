import random

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width, drop):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.drop = drop  # stochastic depth: the probability of skipping the block

    def forward(self, x):
        if random.random() < self.drop:
            return x
        return x + torch.relu(self.linear(x))


torch.manual_seed(0)
stem = nn.Linear(16, 32)
blocks = nn.ModuleList(Block(32, drop=0.5) for _ in range(24))
features = torch.randn(64, 16)

# The gradient with and without checkpointing, for the same random numbers.
gradients = []
for checkpointing in (True, False):
    random.seed(0)
    torch.manual_seed(0)
    x = stem(features)
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=True) if checkpointing else block(x)  # error
    stem.zero_grad()
    x.square().mean().backward()
    gradients.append(stem.weight.grad)
print(f"gradient_error={((gradients[0] - gradients[1]).norm() / gradients[1].norm()).item():.2f}")
