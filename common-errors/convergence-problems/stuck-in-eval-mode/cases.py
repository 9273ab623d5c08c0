import io

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% train() is called once before the loop, the mode is left by a function that measures accuracy
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = torch.randn(64, 1, 8, 8), torch.randint(10, (64,))


def accuracy():
    model.eval()
    with torch.inference_mode():
        return (model(images).argmax(1) == labels).float().mean().item()


model.train()
for epoch in range(3):
    for batch in torch.arange(64).split(16):
        optimizer.zero_grad()
        F.cross_entropy(model(images[batch]), labels[batch]).backward()
        optimizer.step()
    accuracy()
call = lambda: model(images)
# %% fixed
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = torch.randn(64, 1, 8, 8), torch.randint(10, (64,))


def accuracy():
    model.eval()
    with torch.inference_mode():
        return (model(images).argmax(1) == labels).float().mean().item()


for epoch in range(3):
    model.train()
    for batch in torch.arange(64).split(16):
        optimizer.zero_grad()
        F.cross_entropy(model(images[batch]), labels[batch]).backward()
        optimizer.step()
    accuracy()
model.train()
call = lambda: model(images)

# %% dropout as a function, on a graph whose whole training set is one batch
class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(12, 16), nn.Linear(16, 3)

    def forward(self, nodes, adjacency):
        hidden = F.dropout(torch.relu(adjacency @ self.first(nodes)), 0.5, training=self.training)
        return adjacency @ self.second(hidden)


model = GraphNet()
nodes, adjacency, labels = torch.randn(30, 12), torch.eye(30), torch.randint(3, (30,))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    loss = F.cross_entropy(model(nodes, adjacency), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        val_loss = F.cross_entropy(model(nodes, adjacency), labels)
call = lambda: model(nodes, adjacency)

# %% a model that is loaded in evaluation mode and fine-tuned
file = io.BytesIO()
torch.save(nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 2)).eval(), file)
model = torch.load(io.BytesIO(file.getvalue()), weights_only=False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(20):
    loss = model(torch.randn(16, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
call = lambda: model(torch.ones(16, 8))

# %% right: batch norm of a frozen backbone stays in evaluation mode while the head trains
backbone = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU()).eval().requires_grad_(False)
model = nn.Sequential(backbone, nn.Dropout(0.2), nn.Linear(32, 2))
optimizer = torch.optim.AdamW(model[2].parameters(), lr=1e-3)
for step in range(20):
    model.train()
    backbone.eval()
    loss = model(torch.randn(16, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
call = lambda: model(torch.ones(16, 8))

# %% right: an attack on a model in evaluation mode, between steps in training mode
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
inputs, labels = torch.randn(16, 8), torch.randint(2, (16,))
for step in range(20):
    model.eval()
    attacked = inputs.clone().requires_grad_()
    F.cross_entropy(model(attacked), labels).backward()
    model.train()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs + 0.1 * attacked.grad.sign()), labels)
    loss.backward()
    optimizer.step()
call = lambda: model(inputs)

# %% right: fine-tuning without dropout, as chosen
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
model.eval()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(20):
    loss = model(torch.randn(16, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.train()
call = lambda: model(torch.ones(16, 8))
