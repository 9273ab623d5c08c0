import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, targets = torch.randn(96, 20, 16), torch.randn(96, 20, 4)


def train(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(4):
        loss = batch_loss(96)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %% a contrastive loss, an anchor at a time
model = nn.Linear(16, 8)


def batch_loss(size):
    points, terms = model(inputs[:size, 0]), []
    for i in range(size):
        distances = (points[i] - points).pow(2).sum(1)
        terms.append(F.relu(1 - distances).mean())
    return torch.stack(terms).mean()


train(model)


# %% fixed
model = nn.Linear(16, 8)


def batch_loss(size):
    points = model(inputs[:size, 0])
    distances = (points[:, None] - points).pow(2).sum(2)
    return F.relu(1 - distances).mean()


train(model)

# %% the divergence of a variational autoencoder, summed over samples with zip
model = nn.Linear(16, 8)


def batch_loss(size):
    mean, log_variance = model(inputs[:size, 0]).chunk(2, dim=1)
    return sum(-0.5 * torch.sum(1 + s - m.pow(2) - s.exp()) for m, s in zip(mean, log_variance))


train(model)

# %% right: a recurrent cell, each of whose steps needs the one before
model = nn.ModuleList([nn.Linear(16, 16), nn.GRUCell(16, 16), nn.Linear(16, 4)])
series = torch.randn(96, 70, 16)


def batch_loss(size):
    state, loss, features = torch.zeros(size, 16), 0, model[0](series[:size])
    for moment in features.unbind(1):
        state = model[1](moment, state)
        loss = loss + F.mse_loss(model[2](state), targets[:size, 0])
    return loss / 70


train(model)

# %% right: discounted returns, from the last step to the first
model = nn.Linear(16, 96)


def batch_loss(size):
    rewards, result, results = model(inputs[:size, 0]).tanh(), 0, []
    for t in reversed(range(96)):
        result = rewards[:, t] + 0.9 * result
        results.append(result)
    return torch.stack(results).square().mean()


train(model)

# %% right: channels with weights of their own
model = nn.ModuleList([nn.Linear(20, 4) for _ in range(80)])
mixer = nn.Linear(16, 80)


def batch_loss(size):
    channels = mixer(inputs[:size]).unbind(2)
    return torch.stack([layer(channel).tanh() for layer, channel in zip(model, channels)]).square().mean()


train(model)

# %% watched: a head for each position of a sequence, inside a module
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = nn.GRU(16, 16, batch_first=True, bidirectional=True), nn.Linear(32, 5)

    def forward(self, series, tags):
        states, total = self.encoder(series)[0], torch.zeros(())
        for t in range(series.shape[1]):
            total += nn.CrossEntropyLoss()(self.head(states[:, t]), tags[:, t])
        return total / series.shape[1]


model = Tagger()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(3):
    optimizer.zero_grad(set_to_none=True)
    model(torch.randn(8, 70, 16), torch.randint(5, (8, 70))).backward()
    optimizer.step()

# %% watched: two outputs of an encoder, sample by sample with zip
encoder = nn.ModuleList([nn.Linear(16, 8), nn.Linear(16, 8)])


def batch_loss(size):
    mean, log_variance = (layer(inputs[:size, 0]) for layer in encoder)
    return sum(-0.5 * torch.sum(1 + s - m.pow(2) - s.exp()) for m, s in zip(mean, log_variance))


train(encoder)

# %% right: a selective scan, whose outputs are read from a state row by row
model = nn.ModuleList([nn.Linear(16, 16), nn.Linear(16, 4), nn.Linear(16, 4)])
series = torch.randn(96, 70, 16)


def batch_loss(size):
    state, results, x = torch.zeros(size, 16, 4), [], series[:size]
    steps, write, read = model[0](x).sigmoid(), model[1](x), model[2](x)
    for t in range(70):
        state = state * steps[:, t, :, None] + x[:, t, :, None] * write[:, t, None]
        results.append((state * read[:, t, None]).sum(-1))
    return F.mse_loss(torch.stack(results, 1), x)


train(model)
