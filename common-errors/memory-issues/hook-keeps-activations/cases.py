import collections
import functools

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, labels, batch = torch.randn(32, 8), torch.randint(3, (32,)), None


def train_step(images=None, wanted=None):
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), labels).backward()
    optimizer.step()


# %% a dict of lists, filled by a closure, with detached copies
features = collections.defaultdict(list)


def saver(name):
    def hook(layer, inputs, output):
        features[name].append(output.detach())

    return hook


for name, layer in model.named_modules():
    layer.register_forward_hook(saver(name))
for step in range(5):
    train_step()
# %% fixed
features = {}


def saver(name):
    def hook(layer, inputs, output):
        features[name] = output.detach()

    return hook


for name, layer in model.named_modules():
    layer.register_forward_hook(saver(name))
for step in range(5):
    train_step()

# %% inputs of a layer, in an attribute of an object
class Recorder:
    def __init__(self, layer):
        self.seen = []
        layer.register_forward_pre_hook(self.record)

    def record(self, layer, inputs):
        self.seen.append(inputs)


recorder = Recorder(model[2])
for step in range(5):
    train_step()

# %% right: a number for each step
means = []
model[1].register_forward_hook(lambda layer, inputs, output: means.append(output.mean().item()))
for step in range(40):
    train_step()

# %% right: the last four outputs, in a deque
latest = collections.deque(maxlen=4)
model[1].register_forward_hook(lambda layer, inputs, output: latest.append(output.detach()))
for step in range(40):
    train_step()

# %% right: a list that the step itself clears, for a loss on features
taken = []
model[1].register_forward_hook(lambda layer, inputs, output: taken.append(output))


def train_step(images=None, wanted=None):
    taken.clear()
    loss = F.cross_entropy(model(inputs), labels) + 1e-3 * sum(one.abs().mean() for one in taken)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for step in range(40):
    train_step()

# %% right: the hook is removed after a look at three steps
taken = []
handle = model[1].register_forward_hook(lambda layer, inputs, output: taken.append(output.detach()))
for step in range(3):
    train_step()
handle.remove()
for step in range(40):
    train_step()

# %% right: features of a whole dataset, on purpose, without gradients
taken = []
handle = model[1].register_forward_hook(lambda layer, inputs, output: taken.append(output))
with torch.no_grad():
    for part in torch.randn(50, 32, 8):
        model(part)
features = torch.cat(taken)
handle.remove()

# %% watched: a transformer's layers, kept with their graphs by functools.partial
store = {"outputs": []}


def save(kept, layer, inputs, output):
    kept["outputs"].append(output)


encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2)
for layer in encoder.layers:
    layer.register_forward_hook(functools.partial(save, store))
adam = torch.optim.AdamW(encoder.parameters())
for step in range(30):
    adam.zero_grad()
    encoder(torch.randn(2, 5, 16)).square().mean().backward()
    adam.step()

# %% watched: detached outputs of an LSTM, in a list of a class, for hundreds of steps
class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head, self.activations = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 1), []
        self.rnn.register_forward_hook(self.keep)

    def keep(self, layer, inputs, output):
        self.activations.append(output[0].detach())

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


probe = Probe()
steps = torch.optim.SGD(probe.parameters(), lr=0.01)
for step in range(300):
    steps.zero_grad()
    probe(torch.randn(4, 3, 4)).square().mean().backward()
    steps.step()

# %% watched: a lambda, gradients are accumulated
outputs, layer = [], nn.Conv1d(2, 4, 3)
layer.register_forward_hook(lambda *given: outputs.append(given[-1]))
steps = torch.optim.SGD(layer.parameters(), lr=0.01)
for number in range(40):
    (layer(torch.randn(3, 2, 9)).square().mean() / 4).backward()
    if number % 4 == 3:
        steps.step()
        steps.zero_grad()

# %% right: outputs of an epoch are collected for a histogram, and cleared
taken = []
handle = model[1].register_forward_hook(lambda layer, inputs, output: taken.append(output.detach()))
for epoch in range(2):
    for step in range(260):
        train_step()
    shares = torch.cat(taken).histc(10)
    taken.clear()
handle.remove()
