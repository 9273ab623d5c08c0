import os
import shutil

import torch
from torch import nn

# As in a slim Docker image: there is no compiler on the PATH.
os.environ["PATH"] = "/opt/app/bin"

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 10))
# Compile only where there is a compiler. To gain speed here, too, install one: apt-get install g++
if shutil.which(os.environ.get("CXX", "g++")):
    model = torch.compile(model)
inputs = torch.randn(16, 32)
logits = model(inputs)
print(f"logits: {tuple(logits.shape)}")
