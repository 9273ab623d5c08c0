import copy

import torch
from torch import nn


def train(network, trainer):
    for _ in range(3):
        trainer.zero_grad()
        network(torch.randn(8, 16)).square().mean().backward()
        trainer.step()


# %% a copy is trained, and the optimizer has the original
pretrained = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.AdamW(pretrained.parameters(), lr=1e-3)
model = copy.deepcopy(pretrained)
train(model, optimizer)
# %% fixed
pretrained = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
model = copy.deepcopy(pretrained)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
train(model, optimizer)

# %% weights assigned from a checkpoint
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
checkpoint = {name: value.clone() for name, value in model.state_dict().items()}
model.load_state_dict(checkpoint, assign=True)
train(model, optimizer)

# %% a layer that is added during training
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer)
model.append(nn.Linear(32, 4))
train(model, optimizer)

# %% the head of a torchvision model
import torchvision

model = torchvision.models.resnet18(weights=None)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.fc = nn.Linear(512, 5)
nn.functional.cross_entropy(model(torch.randn(2, 3, 64, 64)), torch.tensor([0, 4])).backward()
optimizer.step()

# %% watched: all is frozen, and the head is replaced after the optimizer was made
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 10)).requires_grad_(False)
optimizer = torch.optim.SGD(model[2].parameters(), lr=0.1)
model[2] = nn.Linear(32, 4)
train(model, optimizer)

# %% right: one optimizer for the body, another for the head
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model[0].parameters(), lr=0.01)
optimizers = [optimizer, torch.optim.Adam(model[2].parameters(), lr=1e-3)]
train(model, optimizer)

# %% right: a frozen body that is not passed to the optimizer, and a dtype changed afterwards
model = nn.Sequential(nn.Linear(16, 32).requires_grad_(False), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD([parameter for parameter in model.parameters() if parameter.requires_grad], lr=0.01)
model.double().float()
train(model, optimizer)

# %% right: tied weights
model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))
model[2].weight = model[0].weight
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
train(model, optimizer)

# %% right: two heads, one not used yet, and a body that is not trained
body, model = nn.Linear(16, 16), nn.ModuleList([nn.Linear(16, 2), nn.Linear(16, 2)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(nn.Sequential(body, nn.ReLU(), model[0]), optimizer)

# %% watched: one of two heads is replaced, and the other is not used
body, heads = nn.Linear(16, 16), nn.ModuleList([nn.Linear(16, 2), nn.Linear(16, 2)])
optimizer = torch.optim.SGD(heads.parameters(), lr=0.1)
heads[0] = nn.Linear(16, 3)
train(nn.Sequential(body, nn.ReLU(), heads[0]), optimizer)
