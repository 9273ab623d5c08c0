import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
batch, labels = torch.randn(16, 8), torch.randint(3, (16,))

# %% AdamW without a reset
def train():
    nn.functional.cross_entropy(model(batch), labels).backward()
    optimizer.step()


for _ in range(5):
    train()

# %% only one of two parts of the model is reset
def train():
    model[0].zero_grad()
    nn.functional.cross_entropy(model(batch), labels).backward()
    optimizer.step()


for _ in range(5):
    train()

# %% experts that take turns, with sparse gradients
experts = nn.ModuleList([nn.EmbeddingBag(10, 3, sparse=True), nn.EmbeddingBag(10, 3, sparse=True)])
optimizer = torch.optim.SparseAdam(experts.parameters())
words = torch.randint(10, (16, 4))
turn = 0


def train():
    global turn
    turn += 1
    nn.functional.cross_entropy(experts[turn % 2](words), labels).backward()
    optimizer.step()


# %% with a gradient scaler and clipping
scaler = torch.amp.GradScaler("cpu")


def train():
    scaler.scale(nn.functional.cross_entropy(model(batch), labels)).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    scaler.step(optimizer)
    scaler.update()


train()

# %% only the biases are left out
def train():
    model[0].weight.grad = model[3].weight.grad = None
    nn.functional.cross_entropy(model(batch), labels).backward()
    optimizer.step()


train()

# %% right: a closure that resets
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(batch), labels)
    loss.backward()
    return loss


def train():
    optimizer.step(closure)


train()

# %% right: a discriminator whose gradients from the generator's loss are reset
generator = nn.Linear(4, 8)
generator_optimizer = torch.optim.SGD(generator.parameters(), lr=0.01)


def train():
    optimizer.zero_grad()
    fake = generator(torch.randn(16, 4))
    (model(fake.detach()).mean() - model(batch).mean()).backward()
    optimizer.step()
    generator_optimizer.zero_grad()
    (-model(fake).mean()).backward()
    generator_optimizer.step()


for _ in range(5):
    train()

# %% right: batches that differ in scale
def train():
    global scale
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(batch * scale), labels).backward()
    optimizer.step()
    scale *= 10


scale = 0.1
train()

# %% right: gradients accumulated over four batches
micro_batches = 0


def train():
    global micro_batches
    (nn.functional.cross_entropy(model(batch), labels) / 4).backward()
    micro_batches += 1
    if micro_batches % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()


for _ in range(8):
    train()

# %% right: gradients that are assigned, not added
def train():
    loss = nn.functional.cross_entropy(model(batch), labels)
    for parameter, gradient in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
        parameter.grad = gradient
    optimizer.step()


train()

# %% right: float32 copies of the weights, whose gradients are assigned
copies = [parameter.detach().clone().requires_grad_() for parameter in model.parameters()]
optimizer = torch.optim.SGD(copies, lr=0.01)


def train():
    model.zero_grad()
    nn.functional.cross_entropy(model(batch), labels).backward()
    for parameter, copy in zip(model.parameters(), copies):
        copy.grad = parameter.grad.clone()
    optimizer.step()
    with torch.no_grad():
        [parameter.copy_(copy) for parameter, copy in zip(model.parameters(), copies)]


for _ in range(6):
    train()

# %% undecided: momentum by hand, in the gradients themselves
by_hand = nn.Linear(8, 3)


def train():
    nn.functional.cross_entropy(by_hand(batch), labels).backward()
    with torch.no_grad():
        for parameter in by_hand.parameters():
            parameter -= 0.01 * parameter.grad
            parameter.grad *= 0.9


for _ in range(6):
    train()

# %% watched: an update by hand
by_hand = nn.Linear(8, 3)
for _ in range(6):
    nn.functional.cross_entropy(by_hand(batch), labels).backward()
    with torch.no_grad():
        for parameter in by_hand.parameters():
            parameter -= 0.01 * parameter.grad

# %% watched: a critic that keeps the gradients of the generator's loss, too
generator = nn.Linear(4, 8)
generator_optimizer = torch.optim.SGD(generator.parameters(), lr=0.01)
for _ in range(5):
    fake = generator(torch.randn(16, 4))
    (model(fake.detach()).mean() - model(batch).mean()).backward()
    optimizer.step()
    generator_optimizer.zero_grad()
    (-model(fake).mean()).backward()
    generator_optimizer.step()
