import torch
from torch import nn

torch.manual_seed(0)

# %% the diagonal of a distance matrix, multiplied by 0
model = nn.Linear(8, 4)
points = torch.randn(16, 8)


def compute_loss():
    embedded = model(points)
    squared = (embedded[:, None] - embedded[None]).pow(2).sum(dim=2)
    others = 1 - torch.eye(16)
    return (squared.sqrt() * others).sum() / others.sum()


# %% fixed
model = nn.Linear(8, 4)
points = torch.randn(16, 8)


def compute_loss():
    embedded = model(points)
    squared = (embedded[:, None] - embedded[None]).pow(2).sum(dim=2)
    others = 1 - torch.eye(16)
    return (torch.where(others > 0, squared, 1.0).sqrt() * others).sum() / others.sum()


# %% a softplus written by hand: exp overflows where the other branch is chosen
model = nn.Linear(4, 1)
batch = 100 * torch.randn(64, 4)


def compute_loss():
    scores = model(batch)
    return torch.where(scores > 20, scores, scores.exp().log1p()).mean()


# %% a logarithm of energies, assigned in place
model = nn.Linear(4, 3, bias=False)
batch = torch.cat([torch.zeros(4, 4), torch.randn(28, 4)])


def compute_loss():
    rates = model(batch).square()
    logs = rates.log()
    logs[rates == 0] = 0.0
    return logs.square().mean()


# %% right: the input of the logarithm is chosen
model = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
batch = torch.randn(32, 4)


def compute_loss():
    rates = model(batch)
    return torch.where(rates > 0, torch.where(rates > 0, rates, 1.0).log(), 0.0).mean()


# %% right: the division is by data, which need no gradient, and negative logarithms are hidden
model = nn.Linear(4, 3)
batch, exposure = torch.randn(32, 4), torch.tensor([0.0, 1.0, 2.0])


def compute_loss():
    rates = model(batch)
    shares = torch.where(exposure > 0, rates / exposure.clamp(min=1.0), 0.0)
    return (shares + torch.where(rates > 0, rates.log(), 0.0)).mean()


optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(12):
    optimizer.zero_grad()
    compute_loss().backward()
    optimizer.step()

# %% right: NaN for another reason, the root of a sum of squares that is 0
model = nn.Linear(4, 3, bias=False)
batch = torch.cat([torch.zeros(1, 4), torch.randn(7, 4)])


def compute_loss():
    return torch.where(batch[:, 0] > -9, model(batch).pow(2).sum(dim=1).sqrt(), 0.0).mean()


compute_loss().backward()

# %% right: a ReLU before the logarithm stops the gradient of what is hidden
model = nn.Linear(4, 3)
batch = torch.randn(32, 4)


def compute_loss():
    return torch.where(model(batch) > 0, (model(batch).relu() + 1e-3).log(), 0.0).mean()


for step in range(12):
    compute_loss().backward()

# %% watched: a class with a trainer, a square root as activation, and accumulation
class Roots(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv2d(1, 4, 3), nn.Linear(4, 2)

    def forward(self, images):
        maps = self.first(images)
        return self.last(torch.where(maps > 0, torch.sqrt(maps), 0).mean(dim=(2, 3)))


class Trainer:
    def __init__(self, model, criterion):
        self.model, self.criterion = model, criterion
        self.optimizer = torch.optim.AdamW(model.parameters())

    def fit(self, batches):
        for number, (images, labels) in enumerate(batches):
            (self.criterion(input=self.model(images=images), target=labels) / 2).backward()
            if number % 2:
                self.optimizer.step()
                self.optimizer.zero_grad()


torch.manual_seed(0)
batches = [(torch.randn(8, 1, 6, 6), torch.randint(2, (8,))) for _ in range(4)]
Trainer(Roots(), nn.CrossEntropyLoss()).fit(batches)

# %% watched: a divergence of two distributions, summed over the classes and masked after that
encoder, length = nn.Linear(6, 5), torch.tensor([3, 4])
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
for step in range(3):
    padding = torch.arange(4) >= length[:, None]
    weights = encoder(torch.randn(2, 4, 6)).sigmoid() * ~padding[:, :, None]
    entropy = (weights * weights.log()).sum(dim=-1).masked_fill(padding, 0.0)
    optimizer.zero_grad()
    entropy.mean().backward()
    optimizer.step()

# %% watched: the value is chosen by an index, and a small number meets it late
policy = nn.Linear(3, 2)
optimizer = torch.optim.Adam(policy.parameters())
for step in range(30):
    states = torch.randn(5, 3) * (step != 20)
    if step == 20:
        nn.init.zeros_(policy.bias)
    ratio = 1 / policy(states)
    loss = ratio[ratio.isfinite()].sum().sigmoid() + policy.weight.square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: a loss for each sample, multiplied by weights of which some are 0
layer, inputs = nn.Linear(4, 3, bias=False), torch.randn(32, 4) * (torch.arange(32) % 3 > 0)[:, None]
weights = torch.rand(32) * (torch.arange(32) % 3 > 0)
lengths = layer(inputs).square().sum(1).sqrt()
(nn.functional.mse_loss(lengths, torch.ones(32), reduction="none") * weights).mean().backward()

# %% watched: the rows are chosen by their numbers
layer, inputs = nn.Linear(4, 3, bias=False), torch.randn(32, 4) * (torch.arange(32) % 3 > 0)[:, None]
lengths = layer(inputs).square().sum(1).sqrt()
(lengths[inputs.any(1).nonzero().squeeze(1)] - 1).square().mean().backward()

# %% right: a row without any key, whose NaN the masked_fill before the softmax stops
model, keys, allowed = nn.Linear(6, 6), torch.randn(10, 6), torch.rand(8, 10) > 0.5
allowed[0] = False


def compute_loss():
    scores = (model(torch.ones(8, 6)) @ keys.T).masked_fill(~allowed, -torch.inf)
    return torch.where(allowed, scores.softmax(1), 0.0).square().mean()


compute_loss().backward()
