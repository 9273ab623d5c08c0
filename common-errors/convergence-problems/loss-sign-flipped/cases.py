import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def train(model, loss_of, steps=1200):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss

# %% a VAE whose divergence has the wrong sign
encoder, decoder = nn.Linear(12, 6), nn.Linear(3, 12)
model, samples = nn.ModuleList([encoder, decoder]), torch.rand(64, 12)


def loss_of():
    mean, logvar = encoder(samples).chunk(2, 1)
    decoded = decoder(mean + torch.randn_like(mean) * (0.5 * logvar).exp()).sigmoid()
    divergence = 0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum()
    return F.binary_cross_entropy(decoded, samples, reduction="sum") + divergence


loss = train(model, loss_of)
# %% fixed
encoder, decoder = nn.Linear(12, 6), nn.Linear(3, 12)
model, samples = nn.ModuleList([encoder, decoder]), torch.rand(64, 12)


def loss_of():
    mean, logvar = encoder(samples).chunk(2, 1)
    decoded = decoder(mean + torch.randn_like(mean) * (0.5 * logvar).exp()).sigmoid()
    divergence = -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum()
    return F.binary_cross_entropy(decoded, samples, reduction="sum") + divergence


loss = train(model, loss_of)

# %% the log-probability of the right class
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
inputs, labels = torch.randn(64, 8), torch.randint(4, (64,))
loss = train(model, lambda: F.log_softmax(model(inputs), 1)[torch.arange(64), labels].mean())

# %% watched: a distance that should shrink is subtracted
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 8))
inputs = torch.randn(64, 8)
train(model, lambda: F.l1_loss(model(inputs), inputs) - (model(inputs) - inputs.flip(0)).square().sum(1).mean())

# %% right: a density whose log-likelihood rises above 0
model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
inputs = torch.rand(64, 2)


def loss_of():
    mean, spread = model(inputs).unbind(1)
    return -torch.distributions.Normal(mean, F.softplus(spread) + 1e-3).log_prob(0.01 * inputs[:, 0]).mean()


loss = train(model, loss_of)

# %% right: a similarity that should grow, and is bounded
model = nn.Linear(8, 8)
inputs = torch.randn(64, 8)
loss = train(model, lambda: -F.cosine_similarity(model(inputs), inputs.flip(1)).mean())

# %% right: a policy with negative rewards, whose episodes become longer
model = nn.Linear(4, 3)
lengths = iter(range(5, 1000))


def loss_of():
    length = min(200, next(lengths))
    choices = torch.distributions.Categorical(logits=model(torch.randn(length, 4)))
    returns = -torch.arange(length, 0, -1.0) / 10
    return -(choices.log_prob(choices.sample()) * returns).sum()


loss = train(model, loss_of, steps=200) / 200  # a mean
