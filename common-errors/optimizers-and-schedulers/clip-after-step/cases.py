import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, targets = torch.randn(64, 8), 20 * torch.randn(64, 1)
batch = None

# %% before backward(), in a class with an LSTM
class Trainer:
    def __init__(self):
        self.model = nn.LSTM(8, 16, batch_first=True, proj_size=1)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def step(self, batch=None):
        self.optimizer.zero_grad()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        loss = F.l1_loss(self.model(inputs[:, None])[0][:, 0], targets, reduction="sum")
        loss.backward()
        self.optimizer.step()


trainer = Trainer()
for step in range(5):
    trainer.step()
model, optimizer, train_step = trainer.model, trainer.optimizer, trainer.step
# %% fixed
class Trainer:
    def __init__(self):
        self.model = nn.LSTM(8, 16, batch_first=True, proj_size=1)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def step(self, batch=None):
        self.optimizer.zero_grad()
        loss = F.l1_loss(self.model(inputs[:, None])[0][:, 0], targets, reduction="sum")
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


trainer = Trainer()
for step in range(5):
    trainer.step()
model, optimizer, train_step = trainer.model, trainer.optimizer, trainer.step

# %% after a step that follows four accumulated passes
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)


def train_step(batch=None):
    for part in torch.arange(64).split(16):
        (F.mse_loss(model(inputs[part]), targets[part]) / 4).backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.zero_grad()


for step in range(5):
    train_step()

# %% right: two optimizers use one backward pass, and the second one's gradients are clipped
body, head = nn.Linear(8, 16), nn.Linear(16, 1)
model = nn.Sequential(body, nn.ReLU(), head)
first, optimizer = torch.optim.SGD(body.parameters(), lr=1e-4), torch.optim.SGD(head.parameters(), lr=1e-4)


def train_step(batch=None):
    model.zero_grad()
    F.mse_loss(model(inputs), targets).backward()
    nn.utils.clip_grad_norm_(body.parameters(), 1.0)
    first.step()
    nn.utils.clip_grad_norm_(head.parameters(), 1.0)
    optimizer.step()


for step in range(5):
    train_step()

# %% right: a discriminator is clipped in time, a generator, too
generator, critic = nn.Linear(4, 8), nn.Linear(8, 1)
model, optimizer = generator, torch.optim.Adam(generator.parameters(), lr=1e-3)
others = torch.optim.Adam(critic.parameters(), lr=1e-3)


def train_step(batch=None):
    for part, steps, sign in ((critic, others, 1), (generator, optimizer, -1)):
        steps.zero_grad()
        (sign * 100 * critic(generator(torch.randn(16, 4))).mean()).backward()
        nn.utils.clip_grad_norm_(part.parameters(), 1.0)
        steps.step()


for step in range(5):
    train_step()

# %% right: gradients that a search assigns, without a backward pass
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)


def train_step(batch=None):
    optimizer.zero_grad()
    for parameter in model.parameters():
        parameter.grad = 100 * torch.randn_like(parameter)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


for step in range(5):
    train_step()
