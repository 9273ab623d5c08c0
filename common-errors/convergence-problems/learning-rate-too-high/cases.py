import torch
from torch import nn

torch.manual_seed(0)
features = torch.randn(128, 20)
labels = (features[:, 0] * features[:, 1] > 0).long()


def train(network, trainer, steps):
    for _ in range(steps):
        trainer.zero_grad()
        loss_of(network).backward()
        trainer.step()


# %% the loss is nan after a few steps
fresh = nn.Linear(20, 1)
loss_of = lambda net: (net(features) - features[:, :1]).square().mean()
model = nn.Linear(20, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=100.0)
train(model, optimizer, 60)
# %% fixed
fresh = nn.Linear(20, 1)
loss_of = lambda net: (net(features) - features[:, :1]).square().mean()
model = nn.Linear(20, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 60)

# %% Adam jumps and gets stuck at random guessing
new = lambda: nn.Sequential(*(layer for n in (20, 128, 128, 128, 128) for layer in (nn.Linear(n, 128), nn.ReLU())), nn.Linear(128, 2))
fresh, model = new(), new()
loss_of = lambda net: nn.functional.cross_entropy(net(features), labels)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.3)
train(model, optimizer, 50)

# %% a warm-up that ends at a rate that is too high
new = lambda: nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 1))
fresh, model = new(), new()
loss_of = lambda net: (net(features) - features[:, :1]).square().mean()
optimizer = torch.optim.SGD(model.parameters(), lr=3.0, momentum=0.9)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.001, total_iters=500)
train(model, optimizer, 50)

# %% right: Adam at its usual rate, and a scheduler that has lowered it
new = lambda: nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 2))
fresh, model = new(), new()
loss_of = lambda net: nn.functional.cross_entropy(net(features), labels)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=50)
train(model, optimizer, 50)
scheduler.step()

# %% right: the loss rises because its sign is wrong, at any rate
fresh, model = nn.Linear(20, 2), nn.Linear(20, 2)
loss_of = lambda net: -nn.functional.cross_entropy(net(features), labels)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 50)

# %% undecided: nan in the data
features[3, 4] = float("nan")
fresh, model = nn.Linear(20, 2), nn.Linear(20, 2)
loss_of = lambda net: nn.functional.cross_entropy(net(features), labels)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, 50)

# %% right: dropout makes a loss rise and fall that hardly moves, as the rate is too low
new = lambda: nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
fresh, model = new(), new()
loss_of = lambda net: nn.functional.cross_entropy(net(features), labels)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
train(model, optimizer, 50)

# %% watched: the first steps of Adam move the weights too far
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.3)
loss_of = lambda net: (net(features) - features[:, :1]).square().mean()
train(model, optimizer, 20)
