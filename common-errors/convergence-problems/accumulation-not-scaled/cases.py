import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, targets = torch.randn(96, 6), torch.randn(96, 1)

# %% a regression, whose last step is called behind the loop
model = nn.Linear(6, 1)
optimizer = torch.optim.Adam(model.parameters())


def step():
    optimizer.zero_grad()
    for batch in range(0, 32, 8):
        F.mse_loss(model(inputs[batch : batch + 8]), targets[batch : batch + 8]).backward()
    optimizer.step()


whole = lambda: F.mse_loss(model(inputs[:32]), targets[:32])
for _ in range(4):
    step()
# %% fixed
MICRO_BATCHES = 4
model = nn.Linear(6, 1)
optimizer = torch.optim.Adam(model.parameters())


def step():
    optimizer.zero_grad()
    for batch in range(0, 32, 8):
        loss = F.mse_loss(model(inputs[batch : batch + 8]), targets[batch : batch + 8])
        (loss / MICRO_BATCHES).backward()
    optimizer.step()


whole = lambda: F.mse_loss(model(inputs[:32]), targets[:32])
for _ in range(4):
    step()

# %% with a GradScaler
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 3))
optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler("cpu")


def step():
    for batch in torch.arange(30).split(10):
        loss = F.cross_entropy(model(inputs[batch]), (targets[batch, 0] > 0).long())
        scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()


whole = lambda: F.cross_entropy(model(inputs[:30]), (targets[:30, 0] > 0).long())
for _ in range(4):
    step()

# %% watched: a class, and a loss of two terms
class Trainer:
    def __init__(self, model, every):
        self.model, self.every, self.calls = model, every, 0
        self.optimizer = torch.optim.AdamW(model.parameters())

    def training_step(self, batch):
        predicted = self.model(inputs[batch])
        (F.smooth_l1_loss(predicted, targets[batch]) + F.l1_loss(predicted, targets[batch])).backward()
        self.calls += 1
        if self.calls % self.every == 0:
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=False)


trainer = Trainer(nn.Linear(6, 1), 2)
for batch in torch.arange(96).split(8):
    trainer.training_step(batch)

# %% right: sums, divided by the number of samples
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def step():
    optimizer.zero_grad()
    for batch in torch.arange(32).split(8):
        (F.mse_loss(model(inputs[batch]), targets[batch], reduction="sum") / 32).backward()
    optimizer.step()


whole = lambda: F.mse_loss(model(inputs[:32]), targets[:32])
for _ in range(4):
    step()

# %% right: the gradients are divided before the step
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def step():
    optimizer.zero_grad()
    for batch in torch.arange(32).split(8):
        F.mse_loss(model(inputs[batch]), targets[batch]).backward()
    for parameter in model.parameters():
        parameter.grad /= 4
    optimizer.step()


whole = lambda: F.mse_loss(model(inputs[:32]), targets[:32])
for _ in range(4):
    step()

# %% right: a discriminator, judged on real and on generated samples
model = nn.Linear(6, 1)
optimizer, generator = torch.optim.Adam(model.parameters()), nn.Linear(2, 6)
noise = torch.randn(16, 2)


real = lambda: F.binary_cross_entropy_with_logits(model(inputs[:16]), torch.ones(16, 1))
fake = lambda: F.binary_cross_entropy_with_logits(model(generator(noise).detach()), torch.zeros(16, 1))


def step():
    optimizer.zero_grad()
    real().backward()
    fake().backward()
    optimizer.step()


whole = lambda: real() + fake()
for _ in range(4):
    step()

# %% right: one head for each task
body, heads = nn.Linear(6, 8), nn.ModuleList(nn.Linear(8, 1) for _ in range(3))
model = nn.ModuleList([body, heads])
optimizer = torch.optim.Adam(model.parameters())


def step():
    optimizer.zero_grad()
    for head in heads:
        F.mse_loss(head(body(inputs[:16]).relu()), targets[:16]).backward()
    optimizer.step()


whole = lambda: sum(F.mse_loss(head(body(inputs[:16]).relu()), targets[:16]) for head in heads)
for _ in range(4):
    step()

# %% right: a second gradient at other weights, which is the one that is used
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def step():
    def compute():
        optimizer.zero_grad()
        F.mse_loss(model(inputs[:16]), targets[:16]).backward()

    compute()
    moved = [0.05 * p.grad / p.grad.norm() for p in model.parameters()]
    with torch.no_grad():
        [p.add_(by) for p, by in zip(model.parameters(), moved)]
    compute()
    with torch.no_grad():
        [p.sub_(by) for p, by in zip(model.parameters(), moved)]
    optimizer.step()


whole = lambda: F.mse_loss(model(inputs[:16]), targets[:16])
for _ in range(4):
    step()

# %% right: one loop over two losses, one for each column
model, losses = nn.Linear(6, 2), (F.mse_loss, F.binary_cross_entropy_with_logits)
optimizer = torch.optim.Adam(model.parameters())


def step():
    optimizer.zero_grad()
    for column, loss_fn in enumerate(losses):
        loss_fn(model(inputs[:16])[:, column], (targets[:16, 0] > 0).float()).backward()
    optimizer.step()


whole = lambda: sum(f(model(inputs[:16])[:, k], (targets[:16, 0] > 0).float()) for k, f in enumerate(losses))
for _ in range(4):
    step()

# %% watched: a penalty beside the mean
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    for batch in torch.arange(32).split(8):
        loss = F.mse_loss(model(inputs[batch]), targets[batch])
        (loss + 0.001 * sum(p.square().sum() for p in model.parameters())).backward()
    optimizer.step()
    optimizer.zero_grad()

# %% watched: label smoothing, whose terms have factors
model = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters())
for epoch in range(6):
    for number, batch in enumerate(torch.randperm(96).split(8), 1):
        F.cross_entropy(model(inputs[batch]), (targets[batch, 0] > 0).long(), label_smoothing=0.1).backward()
        if number % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
