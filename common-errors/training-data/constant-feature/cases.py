import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def train(model, inputs, targets, steps=8):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(model(inputs)[:, 0], targets).backward()
        optimizer.step()


# %% customers of one country, and later of another, with a lower limit for the deviation
table = torch.cat([torch.randn(300, 3), torch.full((300, 1), 49.0)], dim=1)
table[290:, 3] = 33.0
rows = table[:256]
scaled = (table - rows.mean(dim=0)) / rows.std(dim=0).clamp(min=1e-6)
train(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), scaled[:256], table[:256, 0])
# %% fixed
table = torch.cat([torch.randn(300, 3), torch.full((300, 1), 49.0)], dim=1)
table[290:, 3] = 33.0
rows = table[:256]
mean, std = rows.mean(dim=0), rows.std(dim=0)
std = torch.where(std > 1e-6 * mean.abs() + 1e-12, std, 1.0)
scaled = (table - mean) / std
train(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), scaled[:256], table[:256, 0])

# %% pixels of a border that is dark in training
table = torch.rand(300, 16)
table[:256, :4] = 0.0
rows = table[:256]
scaled = (table - rows.mean(dim=0)) / (rows.std(dim=0) + 1e-7)
model = nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 1))
train(model, scaled[:256], rows[:, 8])

# %% right: a column of ones for the bias, which is left as it is
table = torch.cat([torch.randn(300, 3), torch.ones(300, 1)], dim=1)
rows, scaled = table[:256], table
model = nn.Linear(4, 1)
train(model, scaled[:256], table[:256, 0])
with torch.no_grad():
    predicted = model(scaled)

# %% right: a rare category, standardized
table = torch.cat([torch.randn(512, 3), (torch.arange(512) % 64 == 0).float()[:, None]], dim=1)
rows = table[:400]
scaled = (table - rows.mean(dim=0)) / (rows.std(dim=0) + 1e-8)
model = nn.Linear(4, 1)
train(model, scaled[:400], table[:400, 0])
with torch.no_grad():
    predicted = model(scaled)

# %% right: constant in training, scaled by its known range
table = torch.cat([torch.randn(300, 3), torch.zeros(300, 1)], dim=1)
table[256:, 3] = 900.0
rows, scaled = table[:256], torch.cat([table[:, :3], table[:, 3:] / 1000], dim=1)
model = nn.Linear(4, 1)
train(model, scaled[:256], table[:256, 0])
with torch.no_grad():
    predicted = model(scaled)

# %% watched: a class that scales, batches of 32, double precision, and a later call in inference mode
class Scaler:
    def fit(self, rows):
        self.mean, self.variance = rows.mean(0), rows.var(0)
        return self

    def __call__(self, rows):
        return (rows - self.mean) / torch.sqrt(self.variance + 1e-12)


history = torch.cat([torch.rand(256, 4), torch.full((256, 1), 3.0)], dim=1).double()
scaler = Scaler().fit(history)
model = nn.Sequential(nn.BatchNorm1d(5), nn.Linear(5, 1)).double()
optimizer = torch.optim.AdamW(model.parameters())
for part in torch.randperm(256).split(32):
    optimizer.zero_grad()
    F.smooth_l1_loss(model(scaler(history[part])), history[part, :1]).backward()
    optimizer.step()
model.eval()
with torch.inference_mode():
    answer = model(scaler(torch.tensor([[0.5, 0.5, 0.5, 0.5, 4.0]], dtype=torch.double)))

# %% right: a column of ones, and a probe with rows that are a million times as large
table = torch.cat([torch.randn(300, 3), torch.ones(300, 1)], dim=1)
rows, scaled = table[:256], table
model = nn.Linear(4, 1)
train(model, scaled[:256], table[:256, 0])
with torch.no_grad():
    growth = [model(factor * scaled).abs().max().item() for factor in (1, 1e3, 1e6)]
