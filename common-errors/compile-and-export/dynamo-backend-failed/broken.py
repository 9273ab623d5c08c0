import os

import torch
from torch import nn

# As in a slim Docker image: there is no compiler on the PATH.
os.environ["PATH"] = "/opt/app/bin"

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 10))
model = torch.compile(model)
inputs = torch.randn(16, 32)
logits = model(inputs)  # error
print(f"logits: {tuple(logits.shape)}")
