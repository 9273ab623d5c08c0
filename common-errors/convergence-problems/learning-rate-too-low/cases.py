import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(256, 20)
labels = (inputs[:, :5].sum(dim=1) > 0).long()


def train(network, trainer, steps=100):
    for _ in range(steps):
        trainer.zero_grad()
        loss_of(network).backward()
        trainer.step()


# %% the rate of a fine-tuning recipe, for random weights
new = lambda: nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
fresh, model, steps = new(), new(), 100
loss_of = lambda net: nn.functional.cross_entropy(net(inputs), labels)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
train(model, optimizer)

# %% SGD with the rate of Adam
new = lambda: nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
fresh, model, steps = new(), new(), 100
loss_of = lambda net: nn.functional.cross_entropy(net(inputs), labels)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
train(model, optimizer)
# %% fixed
new = lambda: nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
fresh, model, steps = new(), new(), 100
loss_of = lambda net: nn.functional.cross_entropy(net(inputs), labels)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
train(model, optimizer)

# %% right: Adam at 1e-2, lowered by a scheduler at the end
new = lambda: nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
fresh, model, steps = new(), new(), 200
loss_of = lambda net: nn.functional.cross_entropy(net(inputs), labels)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=1e-3)
train(model, optimizer)
scheduler.step()

# %% right: the loss is flat because the labels are random
labels = torch.randint(2, (20000,))
inputs = torch.ones(20000, 4)
fresh, model, steps = nn.Linear(4, 2), nn.Linear(4, 2), 30
loss_of = lambda net: nn.functional.cross_entropy(net(inputs), labels)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer)

# %% right: the loss is flat because the optimizer has other parameters
fresh, model, steps = nn.Linear(20, 2), nn.Linear(20, 2), 30
loss_of = lambda net: nn.functional.cross_entropy(net(inputs), labels)
optimizer = torch.optim.SGD(nn.Linear(20, 2).parameters(), lr=0.1)
train(model, optimizer)
