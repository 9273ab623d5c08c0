import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Sigmoid(), nn.Linear(16, 1))
batch = torch.randn(4, 8)

# %% the output of a sigmoid is scaled in place
def compute():
    gate = torch.sigmoid(model[0](batch))
    gate *= 2
    return gate.sum()


compute().backward()

# %% a mask is written into attention weights
def compute():
    scores = model[0](batch).softmax(dim=1)
    scores[:, 0] = 0.0
    return scores.square().sum()


compute().backward()

# %% the optimizer steps between a forward pass and its backward()
def compute():
    critic_loss, generator_loss = model(batch).mean(), -model(batch).mean()
    critic_loss.backward()
    optimizer.step()
    return generator_loss


optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
compute().backward()

# %% the input is normalized in place after it was used
def compute():
    data = batch.clone()
    output = model[0](data)
    data -= data.mean()
    return output.sum()


compute().backward()

# %% a hidden state that is not detached after the step
model = nn.LSTM(8, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def compute():
    output, state = model(torch.randn(6, 2, 8))
    output.sum().backward(retain_graph=True)
    optimizer.step()
    return model(torch.randn(6, 2, 8), state)[0].sum()


compute().backward()

# %% a codebook in a buffer, averaged after it was used
class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("codes", torch.randn(5, 8))

    def forward(self, x):
        chosen = (x @ self.codes.T).softmax(dim=1) @ self.codes
        self.codes.mul_(0.99)
        return chosen


quantizer = nn.Sequential(nn.Linear(8, 8), Quantizer())
compute = lambda: quantizer(batch).square().sum()
compute().backward()

# %% message: states are written into one tensor
cell, states = nn.Linear(8, 8), torch.zeros(5, 4, 8)
for t in range(1, 5):
    states[t] = torch.tanh(cell(states[t - 1]))
states.sum().backward()

# %% message: one-dimensional states
cell, states = nn.Parameter(torch.randn(8)), torch.zeros(5, 8)
for t in range(1, 5):
    states[t] = states[t - 1] * cell + 1
states.sum().backward()

# %% message: a bias that the optimizer changes
scale = nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([scale], lr=0.1)
first, second = (torch.ones(3) * scale).square().sum(), (torch.randn(4, 3) * scale).exp().sum()
first.backward()
optimizer.step()
(second + (scale * scale).sum().detach()).backward()
scaled = scale.square().sum()
optimizer.step()
scaled.backward()

# %% message: an index that is reused
table, index = nn.Parameter(torch.randn(10, 3)), torch.tensor([1, 2])
rows = table.gather(0, index[:, None])
index += 1
rows.sum().backward()

# %% right: a change in place of what nothing saved
compute = lambda: model[0](batch).add_(1).sum()
compute().backward()

# %% right: the steps of a GAN, the generator's loss after the critic's step
def compute():
    fake = generator(torch.randn(4, 8))
    (model(fake.detach()).mean() - model(batch).mean()).backward()
    optimizer.step()
    return -model(fake).mean()


generator, optimizer = nn.Linear(8, 8), torch.optim.SGD(model.parameters(), lr=0.1)
compute().backward()

# %% right: an input that is changed after its loss was used
def compute():
    data = batch.clone()
    model(data).square().mean().backward()
    data += 1
    return model(data).square().mean()


compute().backward()

# %% right: one batch norm for two images
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
compute = lambda: (model(batch) - model(batch + 1)).square().mean()
compute().backward()

# %% right: an instance norm with statistics, used twice
model = nn.Sequential(nn.Conv1d(1, 4, 3), nn.InstanceNorm1d(4, track_running_stats=True))
compute = lambda: (model(batch[:, None]) - model(batch[:, None] + 1)).pow(3).mean()
compute().backward()
