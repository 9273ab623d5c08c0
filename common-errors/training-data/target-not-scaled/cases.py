import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% grey values of 0 to 255 as the target of a convolution
images = torch.rand(64, 1, 12, 12)
targets = (images.flip(3) * 255).round()
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for batch in torch.arange(64).split(16):
    loss = F.mse_loss(model(images[batch]), targets[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
target = targets[batch]
# %% fixed
images = torch.rand(64, 1, 12, 12)
targets = (images.flip(3) * 255).round()
mean, std = targets.mean(), targets.std()
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for batch in torch.arange(64).split(16):
    loss = F.mse_loss(model(images[batch]), (targets[batch] - mean) / std)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
target = (targets[batch] - mean) / std

# %% years, learned by an LSTM with an absolute error and accumulated gradients
class Dating(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(5, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])[:, 0]


model, years = Dating(), 1900 + 100 * torch.rand(32)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(8):
    target = years[step * 4 : step * 4 + 4]
    (F.l1_loss(model(torch.randn(4, 7, 5)), target) / 2).backward()
    if step % 2:
        optimizer.step()
        optimizer.zero_grad()

# %% right: a value function beside a policy
policy, critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2)), nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=3e-4)
for step in range(10):
    states, target = torch.randn(32, 4), torch.rand(32) * 5
    values = critic(states)[:, 0]
    loss = -(F.log_softmax(policy(states), 1)[:, 0] * (target - values.detach())).mean() + 0.5 * F.mse_loss(values, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: the last bias begins at the mean, and the spread is small
ages = 40 + torch.randn(64, 1)
model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
nn.init.constant_(model[2].bias, 40)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(10):
    target = ages - 40
    loss = F.mse_loss(model(torch.randn(64, 3)), ages)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
