import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(512, 512)
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(8, 512)).square().mean().backward()
optimizer.step()
# Linux answers every write to this file as a full disk does.
path = "/dev/full"
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)  # error
print("saved")
