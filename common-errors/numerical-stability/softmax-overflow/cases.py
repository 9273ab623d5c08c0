import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = torch.randn(32, 8), torch.randint(5, (32,))

# %% attention by hand, without the division by the root of its size
def train():
    torch.manual_seed(0)
    query, key, head = nn.Linear(8, 512), nn.Linear(8, 512), nn.Linear(8, 5)
    q, k = query(3 * inputs), key(3 * inputs)
    scores = q @ k.T
    weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)
    loss = F.cross_entropy(head(weights @ inputs), labels)
    loss.backward()
    return head, loss


train()
# %% fixed
def train():
    torch.manual_seed(0)
    query, key, head = nn.Linear(8, 512), nn.Linear(8, 512), nn.Linear(8, 5)
    q, k = query(3 * inputs), key(3 * inputs)
    scores = q @ k.T
    weights = torch.softmax(scores, dim=-1)
    loss = F.cross_entropy(head(weights @ inputs), labels)
    loss.backward()
    return head, loss


train()

# %% the logarithm of a sum of exponentials, inputs that are not normalized
def train():
    torch.manual_seed(0)
    model, optimizer = nn.Linear(8, 5), None
    for scale in (1, 10, 1000):
        logits = model(scale * inputs)
        loss = (logits.exp().sum(dim=1).log() - logits[torch.arange(32), labels]).mean()
        loss.backward()
    return model, loss


train()

# %% right: a softmax by hand that subtracts the maximum
def train():
    model = nn.Linear(8, 5)
    logits = model(1000 * inputs)
    powers = (logits - logits.amax(dim=1, keepdim=True)).exp()
    loss = (powers / powers.sum(dim=1, keepdim=True)).square().sum(dim=1).mean()
    loss.backward()
    return model, loss


train()

# %% right: the temperature is high, and scores are small
def train():
    model = nn.Linear(8, 5)
    scores = F.normalize(model(inputs)) @ F.normalize(model(inputs)).T / 0.1
    loss = (scores.exp().sum(dim=1).log() - scores.diagonal()).mean()
    loss.backward()
    return model, loss


train()

# %% right: NaN in the data, in a softmax by hand
def train():
    model, holes = nn.Linear(8, 5), inputs.clone()
    holes[3, 2] = torch.nan
    powers = model(holes).exp()
    loss = (powers / powers.sum(dim=1, keepdim=True)).square().mean()
    loss.backward()
    return model, loss


train()

# %% right: an infinite exp whose inverse is 0, a sigmoid by hand
def train():
    model = nn.Linear(8, 1)
    loss = (1 / (1 + (-1000 * model(inputs)).exp())).detach().mean() + model(inputs).square().mean()
    loss.backward()
    return model, loss


train()

# %% watched: a mixture density network, in a class
class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.weights, self.means = nn.Linear(1, 16), nn.Linear(16, 3), nn.Linear(16, 3)

    def forward(self, x, y):
        hidden = self.body(x).relu()
        logits = self.weights(hidden)
        log_weights = logits - torch.log(torch.sum(torch.exp(logits), dim=-1, keepdim=True))
        return -torch.logsumexp(log_weights - 0.5 * (y - self.means(hidden)) ** 2, dim=-1).mean()


mixture = Mixture()
optimizer = torch.optim.Adam(mixture.parameters(), lr=1e-2)
for step in range(6):
    x = torch.rand(20, 1) * (1 if step < 4 else 3000)
    optimizer.zero_grad()
    mixture(x, x.sin()).backward()
    optimizer.step()

# %% watched: attention weights with a mask of ones and zeros, in double precision
layer = nn.Linear(8, 8).double()
mask = torch.ones(32, 32, dtype=torch.float64).tril()
for scale in (1, 100):
    x = scale * inputs.double()
    powers = (layer(x) @ x.T / math.sqrt(8)).exp() * mask
    loss = (powers / (powers.sum(dim=-1, keepdim=True) + 1e-8) @ x).square().mean()
    loss.backward()
    layer.zero_grad()
