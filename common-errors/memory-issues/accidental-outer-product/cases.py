import torch
from torch import nn

torch.manual_seed(0)

# %% a policy gradient: the returns are a column
policy, states = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2)), torch.randn(64, 4)
actions, returns = torch.randint(2, (64,)), torch.randn(64, 1)


def train():
    log_probs = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
    return -(log_probs * returns).mean()


train().backward()
# %% fixed
policy, states = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2)), torch.randn(64, 4)
actions, advantages = torch.randint(2, (64,)), torch.randn(64, 1)


def train():
    log_probs = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
    return -(log_probs * advantages.squeeze(1)).mean()


train().backward()

# %% cross-entropy of two classes by hand
model, inputs, labels = nn.Linear(6, 1), torch.randn(32, 6), torch.randint(2, (32,))


def train():
    chance = torch.sigmoid(model(inputs))
    return -(labels * chance.log() + (1 - labels) * (1 - chance).log()).mean()


train().backward()

# %% watched: targets from one column of a table, in a class
class Regression(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, table):
        return self.body(table[:, :4]).squeeze(-1)

    def loss(self, table):
        return (self(table) - table[:, [4]]).pow(2).mean().sqrt()


model = Regression()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    optimizer.zero_grad()
    model.loss(torch.randn(16 + step, 5)).backward()
    optimizer.step()

# %% right: all pairs on purpose, a ranking
model, inputs, values = nn.Linear(6, 1), torch.randn(32, 6), torch.randn(32)


def train():
    scores = model(inputs).squeeze(1)
    better = (values[:, None] > values).float()
    return (better * nn.functional.softplus(scores[None] - scores[:, None])).mean()


train().backward()

# %% right: all quantiles against all samples of the target
quantiles, target = nn.Linear(4, 1)(torch.randn(32, 4)).squeeze(1), torch.randn(32)


def train():
    return (quantiles[:, None] - target).abs().mean()


train().backward()

# %% right: as many samples as features, and a trained offset
offset, decoder = nn.Parameter(torch.zeros(32)), nn.Linear(32, 32)
inputs = torch.randn(32, 32)


def train():
    return (decoder(inputs - offset) - inputs).square().mean()


train().backward()

# %% right: one scale for each sample, predicted, of as many features
model, inputs = nn.Linear(16, 1), torch.randn(16, 16)


def train():
    return (model(inputs) * inputs - inputs.sin()).square().mean()


train().backward()

# %% right: relative positions, with a trained slope
slope, scores = nn.Parameter(torch.tensor(0.1)), torch.randn(12, 12)


def train():
    positions = torch.arange(12.0)
    return (scores - slope * (positions[:, None] - positions).abs()).softmax(1).square().sum()


train().backward()

# %% right: a distance of two distributions, which needs all pairs
generator = nn.Linear(6, 1)


def train():
    drawn, real = generator(torch.randn(32, 6)), torch.randn(32)
    return (drawn - real[None]).abs().mean() - 0.5 * (drawn - drawn.T).abs().mean()


train().backward()
