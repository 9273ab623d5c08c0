import tempfile

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(512, 512)
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(8, 512)).square().mean().backward()
optimizer.step()
# A disk with free space. Weights alone would take a third: Adam keeps two numbers for each weight.
folder = tempfile.TemporaryDirectory()
path = f"{folder.name}/checkpoint.pt"
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
print("saved")
