import torch
from torch import nn

torch.manual_seed(0)

# %% the module clears them, in a regression
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch = torch.randn(16, 3)


def train():
    loss = (model(batch) - batch.sum(1, keepdim=True)).square().mean()
    loss.backward()
    model.zero_grad()
    optimizer.step()
# %% fixed
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch = torch.randn(16, 3)


def train():
    loss = (model(batch) - batch.sum(1, keepdim=True)).square().mean()
    model.zero_grad()
    loss.backward()
    optimizer.step()

# %% every second batch steps, and gradients are set to zero instead of None
model = nn.Sequential(nn.Embedding(10, 8), nn.Flatten(), nn.Linear(24, 10))
optimizer = torch.optim.AdamW(model.parameters())
batches = iter(torch.randint(10, (100, 8, 3)).split(1))


def train():
    for number in range(2):
        batch = next(batches)[0]
        nn.functional.cross_entropy(model(batch), batch.sum(1) % 10).backward()
    optimizer.zero_grad(set_to_none=False)
    optimizer.step()

# %% watched: a class with a training step, and clipping between
class Trainer:
    def __init__(self, model):
        self.model, self.optimizer = model, torch.optim.RMSprop(model.parameters(), lr=0.01)

    def training_step(self, batch):
        loss = nn.functional.l1_loss(self.model(batch), batch)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)

    def fit(self, steps):
        for step in range(steps):
            self.training_step(torch.randn(8, 5))
            self.optimizer.zero_grad()
            self.optimizer.step()


Trainer(nn.Sequential(nn.Linear(5, 16), nn.GELU(), nn.Linear(16, 5))).fit(6)

# %% watched: one of two optimizers
body, head = nn.Linear(4, 8), nn.Linear(8, 1)
optimizers = [torch.optim.SGD(part.parameters(), lr=0.1) for part in (body, head)]
for step in range(30):
    head(body(torch.randn(8, 4)).relu()).square().mean().backward()
    optimizers[0].step()
    optimizers[0].zero_grad()
    optimizers[1].zero_grad()
    optimizers[1].step()

# %% right: cleared after the step
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch = torch.randn(16, 3)


def train():
    (model(batch) - batch.sum(1, keepdim=True)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


for step in range(6):
    train()

# %% right: cleared before the step, which computes its gradients itself
model = nn.Linear(3, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
batch = torch.randn(16, 3)


def closure():
    optimizer.zero_grad()
    loss = (model(batch) - batch.sum(1, keepdim=True)).square().mean()
    loss.backward()
    return loss


def train():
    optimizer.zero_grad()
    optimizer.step(closure)


for step in range(4):
    train()

# %% right: a GAN, whose generator leaves gradients in the critic
generator, critic = nn.Linear(4, 8), nn.Linear(8, 1)
of_generator, optimizer = (torch.optim.Adam(part.parameters()) for part in (generator, critic))


def train():
    fake = generator(torch.randn(16, 4))
    of_generator.zero_grad()
    (-critic(fake).mean()).backward()
    of_generator.step()
    optimizer.zero_grad()
    (critic(fake.detach()).mean() - critic(torch.randn(16, 8)).mean()).backward()
    optimizer.step()


for step in range(6):
    train()

# %% watched: the second phase of a training, whose gradients are dropped by hand
model = nn.Linear(3, 1)
first, second = (torch.optim.SGD(model.parameters(), lr=rate) for rate in (0.1, 0.01))
for step in range(80):
    optimizer = first if step < 70 else second
    optimizer.zero_grad()
    batch = torch.randn(16, 3)
    (model(batch) - batch.sum(1, keepdim=True)).square().mean().backward()
    if step >= 70:
        for parameter in model.parameters():
            parameter.grad = None
    optimizer.step()

# %% undecided: the hinge loss of a critic is 0, after the generator has filled its gradients
generator, critic = nn.Linear(4, 8), nn.Linear(8, 1)
of_generator, optimizer = (torch.optim.Adam(part.parameters(), lr=1e-5) for part in (generator, critic))
with torch.no_grad():
    critic.weight.fill_(100)


def train():
    fake = -generator(torch.randn(16, 4)).abs() - 1
    optimizer.zero_grad()
    ((1 - critic(torch.rand(16, 8) + 1)).relu() + (1 + critic(fake.detach())).relu()).mean().backward()
    optimizer.step()
    of_generator.zero_grad()
    (-critic(fake).mean()).backward()
    of_generator.step()


for step in range(8):
    train()

# %% right: batches with a gradient that is too large are skipped
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scales = [100 if 3 < step % 8 else 1 for step in range(24)]


def train():
    batch = torch.randn(16, 3)
    loss = (model(batch) - batch.sum(1, keepdim=True)).abs().sum()
    (loss * (scales.pop(0) if scales else 1)).backward()
    if nn.utils.clip_grad_norm_(model.parameters(), 200) > 200:
        optimizer.zero_grad()
    optimizer.step()
    optimizer.zero_grad()


for step in range(24):
    train()
