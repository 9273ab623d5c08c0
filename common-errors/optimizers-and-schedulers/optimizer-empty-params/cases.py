import torch
from torch import nn

# %% a generator that was used up for counting
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
parameters = model.parameters()
print(f"{sum(parameter.numel() for parameter in parameters):,} parameters")
passed = list(parameters)
optimizer = torch.optim.AdamW(parameters, lr=1e-3)
# %% fixed
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
print(f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters")
passed = list(model.parameters())
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

# %% everything is frozen
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).requires_grad_(False)
passed = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.SGD(passed, lr=0.1)
# %% fixed
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).requires_grad_(False)
model[2].requires_grad_(True)
passed = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.SGD(passed, lr=0.1)

# %% a name that no parameter has
model = nn.ModuleDict({"encoder": nn.Linear(8, 16), "head": nn.Linear(16, 1)})
passed = [parameter for name, parameter in model.named_parameters() if "lora_" in name]
optimizer = torch.optim.AdamW(passed, lr=1e-4)

# %% layers that are created in forward
class Price(nn.Module):
    def forward(self, features):
        return nn.Linear(8, 1)(features)


model = Price()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% message: a dictionary of layers, in the class that trains them
class Training:
    def __init__(self, model):
        self.model = model

    def configure_optimizers(self):
        return torch.optim.Adam(self.model.parameters(), lr=1e-3)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = {name: nn.Linear(8, 8) for name in ("text", "image")}


Training(Experts()).configure_optimizers()

# %% message: a model of layers without weights
torch.optim.RMSprop(nn.Sequential(nn.Flatten(), nn.ReLU(), nn.MaxPool1d(2)).parameters())

# %% right: a single tensor
model = nn.Sequential(nn.Flatten(), nn.ReLU())
image = torch.rand(3, 8, 8, requires_grad=True)
passed = [image]
optimizer = torch.optim.Adam(passed, lr=0.1)

# %% right: one frozen layer
model = nn.Sequential(nn.Linear(8, 16).requires_grad_(False), nn.ReLU(), nn.Linear(16, 1))
passed = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.SGD(passed, lr=0.1)
