import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, targets, batch = torch.randn(64, 8), torch.randn(64, 1), None
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")

# %% accumulation, and a limit of 0.5
def train_step(batch=None, wanted=None):
    for part in torch.arange(64).split(16):
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.mse_loss(model(inputs[part]), targets[part]) / 4
        scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()


for step in range(5):
    train_step()
# %% fixed
def train_step(batch=None, wanted=None):
    for part in torch.arange(64).split(16):
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.mse_loss(model(inputs[part]), targets[part]) / 4
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()


for step in range(5):
    train_step()

# %% unscale_() stands behind the clipping
def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = F.mse_loss(model(inputs), targets)
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


for step in range(5):
    train_step()

# %% right: a scaler that is switched off
scaler = torch.amp.GradScaler("cpu", enabled=False)


def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    loss = F.mse_loss(model(inputs), 10 * targets)
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()


for step in range(5):
    train_step()

# %% right: bfloat16, which needs no scaler
def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.mse_loss(model(inputs), targets)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


for step in range(5):
    train_step()

# %% right: the limit is multiplied by the scale
def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = F.mse_loss(model(inputs), targets)
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0 * scaler.get_scale())
    scaler.step(optimizer)
    scaler.update()


for step in range(5):
    train_step()

# %% right: two optimizers, each unscaled in time
body, head = nn.Linear(8, 32), nn.Linear(32, 1)
model = nn.Sequential(body, nn.Tanh(), head)
other, optimizer = torch.optim.SGD(body.parameters(), lr=0.01), torch.optim.AdamW(head.parameters())


def train_step(batch=None, wanted=None):
    model.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = F.mse_loss(model(inputs), targets)
    scaler.scale(loss).backward()
    for used in (other, optimizer):
        scaler.unscale_(used)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for used in (other, optimizer):
        scaler.step(used)
    scaler.update()


for step in range(5):
    train_step()

# %% right: a loss that the program weights itself, without a scaler
def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    (F.mse_loss(model(inputs), targets) * torch.tensor(8.0)).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


for step in range(5):
    train_step()

# %% right: the program divides the gradients itself
def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = F.mse_loss(model(inputs), targets)
    scaler.scale(loss).backward()
    for parameter in model.parameters():
        parameter.grad /= scaler.get_scale()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


for step in range(5):
    train_step()

# %% watched: a class with a transformer layer and Adam
class Trainer:
    def __init__(self):
        self.net = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.amp = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def step(self, x, y):
        self.opt.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.smooth_l1_loss(self.net(x).float(), y)
        self.amp.scale(loss).backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.1)
        self.amp.step(self.opt)
        self.amp.update()


trainer = Trainer()
for _ in range(6):
    trainer.step(torch.randn(4, 5, 8), torch.randn(4, 5, 8))

# %% watched: gradients are clipped by value, in a GAN with one scaler
generator, critic = nn.Linear(4, 8), nn.Linear(8, 1)
steps = [torch.optim.RMSprop(part.parameters(), lr=1e-3) for part in (generator, critic)]
for step in range(6):
    for used, sign in zip(steps, (-1, 1), strict=True):
        used.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = sign * critic(generator(torch.randn(16, 4))).float().mean()
        scaler.scale(loss).backward()
        nn.utils.clip_grad_value_([p for group in used.param_groups for p in group["params"]], 0.5)
        scaler.step(used)
        scaler.update()

# %% right: half of the scale as a limit, for a norm of a half
def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = F.mse_loss(model(inputs), targets)
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5 * scaler.get_scale())
    scaler.step(optimizer)
    scaler.update()


for step in range(5):
    train_step()

# %% right: a first clipping whose limit is so large that it only measures the norm
def train_step(batch=None, wanted=None):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = F.mse_loss(model(inputs), targets)
    scaler.scale(loss).backward()
    scaled_norm = nn.utils.clip_grad_norm_(model.parameters(), 1e9)
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    scaler.step(optimizer)
    scaler.update()


for step in range(5):
    train_step()
