import torch
from torch import nn

# %% more layers are unfrozen than in the saved run
model = nn.Sequential(nn.Linear(16, 32).requires_grad_(False), nn.ReLU(), nn.Linear(32, 5))
saved = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad]).state_dict()
model.requires_grad_(True)
optimizer = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad])
optimizer.load_state_dict(saved)
# %% fixed
model = nn.Sequential(nn.Linear(16, 32).requires_grad_(False), nn.ReLU(), nn.Linear(32, 5))
saved = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad]).state_dict()
optimizer = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad])
optimizer.load_state_dict(saved)
model[0].requires_grad_(True)
optimizer.add_param_group({"params": model[0].parameters()})
saved = optimizer.state_dict()

# %% weight decay for weights only, which the saved run had for all
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
saved = torch.optim.AdamW(model.parameters()).state_dict()
weights = [parameter for parameter in model.parameters() if parameter.ndim > 1]
biases = [parameter for parameter in model.parameters() if parameter.ndim == 1]
optimizer = torch.optim.AdamW([{"params": weights}, {"params": biases, "weight_decay": 0.0}])
optimizer.load_state_dict(saved)

# %% the state of a discriminator in the optimizer of the generator
generator = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 2))
discriminator = nn.Linear(2, 1)
saved = torch.optim.Adam(discriminator.parameters()).state_dict()
optimizer = torch.optim.Adam(generator.parameters())
optimizer.load_state_dict(saved)

# %% message: a layer without bias, in a class that resumes
class Trainer:
    def __init__(self, bias):
        self.model = nn.Linear(16, 5, bias=bias)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    def resume(self, state):
        self.optimizer.load_state_dict(state["optimizer"])


Trainer(bias=False).resume({"optimizer": Trainer(bias=True).optimizer.state_dict()})

# %% message: a group for each layer, and one layer more
layers = [nn.Linear(4, 4) for _ in range(3)]
before = torch.optim.SGD([{"params": layer.parameters()} for layer in layers[:2]], lr=0.1)
torch.optim.SGD([{"params": layer.parameters()} for layer in layers], lr=0.1).load_state_dict(before.state_dict())

# %% message: a new head, and the averages of the old one
def train(classes, state=None):
    model = nn.Linear(16, classes)
    optimizer = torch.optim.Adam(model.parameters())
    if state:
        optimizer.load_state_dict(state)
    model(torch.randn(4, 16)).sum().backward()
    optimizer.step()
    return optimizer.state_dict()


train(5, train(100))

# %% message: a head of one output was replaced by one of 5
model = nn.Sequential(nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(torch.randn(4, 16)).sum().backward()
optimizer.step()
saved = optimizer.state_dict()
model = nn.Sequential(nn.Linear(16, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
optimizer.load_state_dict(saved)
model(torch.randn(4, 16)).sum().backward()
optimizer.step()

# %% right: other learning rates and frozen layers, but the same groups
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
saved = torch.optim.AdamW(model.parameters(), lr=1e-3).state_dict()
model[0].requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
optimizer.load_state_dict(saved)

# %% right: new layers as a group of their own, after loading
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
saved = torch.optim.AdamW(model[2].parameters()).state_dict()
optimizer = torch.optim.AdamW(model[2].parameters())
optimizer.load_state_dict(saved)
