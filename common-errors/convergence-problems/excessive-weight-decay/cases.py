import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
profiles = torch.randn(5, 8)
target = torch.randint(5, (256,))
batch = profiles[target] + 0.3 * torch.randn(256, 8)


def mlp(norm=nn.Identity):
    return nn.Sequential(nn.Linear(8, 32), norm(32), nn.GELU(), nn.Linear(32, 32), norm(32), nn.GELU(), nn.Linear(32, 5))


def fit(model, optimizer, steps=300, loss_of=F.cross_entropy):
    for _ in range(steps):
        rows = torch.randint(256, (64,))
        optimizer.zero_grad()
        loss_of(model(batch[rows]), target[rows]).backward()
        optimizer.step()


# %% SGD with momentum and a decay of 0.3, meant as that of AdamW
model = mlp()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.3)
fit(model, optimizer)
# %% fixed
model = mlp()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
fit(model, optimizer)

# %% AdamW with a decay of 100: each step takes a third of the weights
model = mlp()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.003, weight_decay=100)
fit(model, optimizer)

# %% right: AdamW, with a decay of the weights only, in two groups
model = mlp()
groups = [p for p in model.parameters() if p.dim() > 1], [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW([{"params": groups[0]}, {"params": groups[1], "weight_decay": 0.0}], lr=0.003, weight_decay=0.1)
fit(model, optimizer)

# %% right: weights before a batch norm shrink, which their scale does not matter to
model = mlp(nn.BatchNorm1d)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.01)
fit(model, optimizer)

# %% right: another cause, a learning rate that is far too low
model = mlp()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-7, weight_decay=0.1)
fit(model, optimizer, 90)

# %% watched: a trainer with an LSTM and RMSprop
class Trainer:
    def __init__(self):
        self.rnn, self.head = nn.LSTM(4, 32, batch_first=True), nn.Linear(32, 1)
        parameters = [*self.rnn.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.RMSprop(parameters, lr=0.003, weight_decay=0.5)

    def fit(self, steps):
        for _ in range(steps):
            series = torch.randn(32, 6, 4)
            loss = F.smooth_l1_loss(self.head(self.rnn(series)[0][:, -1])[:, 0], series[:, :, 0].mean(dim=1))
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)


Trainer().fit(1100)

# %% watched: Adam, whose decay is part of the gradient, and fewer steps than it takes to shrink to a fiftieth
model = mlp()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.5)
fit(model, optimizer, 70)
