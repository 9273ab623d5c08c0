import torch
from torch import nn

# %% weight decay by the kind of layer, containers included
model = nn.Sequential(nn.Sequential(nn.Linear(4, 8), nn.PReLU()), nn.Linear(8, 2))
decayed = [p for m in model.modules() if isinstance(m, (nn.Linear, nn.Sequential)) for p in m.parameters()]
plain = [p for m in model.modules() if isinstance(m, nn.PReLU) for p in m.parameters()]
groups = [{"params": list(dict.fromkeys(decayed))}, {"params": plain, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups)

# %% tied weights of a language model
model = nn.ModuleDict({"embedding": nn.Embedding(50, 16), "head": nn.Linear(16, 50, bias=False)})
model["head"].weight = model["embedding"].weight
groups = [{"params": list(model["embedding"].parameters())}, {"params": list(model["head"].parameters()), "lr": 1e-3}]
optimizer = torch.optim.AdamW(groups)

# %% names that match two rules
model = nn.ModuleDict({"attention_norm": nn.LayerNorm(8), "attention": nn.Linear(8, 8)})
named = list(model.named_parameters())
groups = [{"params": [p for n, p in named if "attention" in n]}, {"params": [p for n, p in named if "norm" in n]}]
optimizer = torch.optim.SGD(groups, lr=0.1)

# %% the backbone is unfrozen, and all parameters are added
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
groups = [{"params": list(model[1].parameters())}, {"params": list(model.parameters()), "lr": 1e-4}]
optimizer = torch.optim.SGD(groups[0]["params"], lr=0.1)
optimizer.add_param_group(groups[1])

# %% message: a layer that encoder and decoder share
shared = nn.Linear(4, 4)
encoder, decoder = nn.Sequential(shared, nn.ReLU()), nn.Sequential(nn.Tanh(), shared)
optimizer = torch.optim.Adam([{"params": encoder.parameters()}, {"params": decoder.parameters()}])

# %% right: one group for each layer
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
groups = [{"params": list(layer.parameters()), "lr": 10.0**-n} for n, layer in enumerate(model, start=1)]
optimizer = torch.optim.SGD(groups)
