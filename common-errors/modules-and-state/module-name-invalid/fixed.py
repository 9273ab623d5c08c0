import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(d_model=16, nhead=2, dim_feedforward=32)
adapters = nn.ModuleDict()
for name, module in layer.named_modules():
    if isinstance(module, nn.Linear):
        # A dot separates the levels of a parameter's name, so that a name itself has none.
        adapters[name.replace(".", "_")] = nn.Linear(module.in_features, module.out_features)

print("adapters:", ", ".join(adapters))
