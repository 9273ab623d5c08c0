# fewer: the message is that of device-mismatch, whose cases hold what explain says of it
import torch
from torch import nn

# %% right: a plain attribute of a model that was not moved
model = nn.Linear(3, 2)
model.scale = torch.ones(2)
batch = torch.rand(4, 3)
outputs = model(batch) * model.scale

# %% right: buffers that moved with the model, and numbers
model = nn.BatchNorm1d(3)
model.register_buffer("scale", torch.ones(3), persistent=False)
model.sizes = [3, 5]
model.to("meta")
batch = torch.rand(4, 3, device="meta")
outputs = model(batch) * model.scale
