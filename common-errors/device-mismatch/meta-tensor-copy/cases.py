import torch
from torch import nn

saved = {}

# %% a buffer that is in no checkpoint
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(8, 8))
    model.register_buffer("inv_freq", torch.arange(4.0), persistent=False)
saved = nn.Sequential(nn.Linear(8, 8)).state_dict()
model.load_state_dict(saved, assign=True)
model.to("cpu")
# %% fixed
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(8, 8))
    model.register_buffer("inv_freq", torch.arange(4.0), persistent=False)
checkpoint = saved = nn.Sequential(nn.Linear(8, 8)).state_dict()
model.load_state_dict(checkpoint, assign=True)
model.inv_freq = torch.arange(4.0)
model.to("cpu")

# %% a new head that the checkpoint lacks
with torch.device("meta"):
    model = nn.ModuleDict({"body": nn.Linear(8, 8), "head": nn.Linear(8, 3)})
saved = nn.ModuleDict({"body": nn.Linear(8, 8)}).state_dict()
model.load_state_dict(saved, strict=False, assign=True)
model.cpu()

# %% a tensor that is an attribute
with torch.device("meta"):
    model = nn.Linear(4, 2)
    model.scale = torch.arange(4.0)
saved = nn.Linear(4, 2).state_dict()
model.load_state_dict(saved, assign=True)
scale = model.scale.to("cpu")

# %% message: exported without weights
with torch.device("meta"):
    model = nn.Linear(4, 2)
weights = {name: tensor.cpu() for name, tensor in model.state_dict().items()}

# %% message: a weight as a list
with torch.device("meta"):
    norm = nn.LayerNorm(4)
print(norm.weight.tolist())

# %% message: a loss that was computed on meta
with torch.device("meta"):
    model = nn.Linear(4, 1)
    features = torch.randn(8, 4)
loss = model(features).square().mean()
print(f"loss: {loss.item():.3f}")

# %% message: a condition
with torch.device("meta"):
    gate = nn.Parameter(torch.zeros(1))
if gate > 0:
    print("open")

# %% right: tied weights, tied again after loading
with torch.device("meta"):
    model = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 10, bias=False))
weight = torch.randn(10, 4)
saved = {"0.weight": weight, "1.weight": weight}
model.load_state_dict(saved, assign=True)
model[1].weight = model[0].weight
model.to("cpu")

# %% right: initialized from scratch
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8))
model.to_empty(device="cpu")
for layer in model:
    layer.reset_parameters()
