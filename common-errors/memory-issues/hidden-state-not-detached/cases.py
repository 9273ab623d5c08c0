import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
sequence, batch = torch.randn(4, 200, 8), None

# %% an LSTM, whose state is a pair, of which only one half is detached
model, head = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 8)
hidden = None


def train_chunk(inputs, targets, hidden):
    outputs, (short, long) = model(inputs, hidden)
    F.mse_loss(head(outputs), targets).backward(retain_graph=True)
    return short.detach(), long


for part in sequence.split(20, dim=1):
    hidden = train_chunk(part[:, :-1], part[:, 1:], hidden)
# %% fixed
model, head = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 8)
hidden = None


def train_chunk(inputs, targets, hidden):
    outputs, (short, long) = model(inputs, hidden)
    F.mse_loss(head(outputs), targets).backward()
    return short.detach(), long.detach()


for part in sequence.split(20, dim=1):
    hidden = train_chunk(part[:, :-1], part[:, 1:], hidden)

# %% the policy of an agent that acts without no_grad
model, policy, hidden = nn.GRUCell(8, 16), nn.Linear(16, 4), torch.zeros(4, 16)


def train_chunk(inputs, targets, hidden):
    return model(inputs[:, 0], hidden)


for moment in sequence.split(2, dim=1):
    hidden = train_chunk(moment, None, hidden)
    action = policy(hidden).argmax(dim=1)
part = sequence[:, :20]

# %% right: a new state for each sequence, and one backward pass through all of it
model, head, hidden = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 8), None


def train_chunk(inputs, targets, hidden=None):
    outputs, _ = model(inputs)
    F.mse_loss(head(outputs), targets).backward()


part = sequence[:, :20]
for chunk in sequence.repeat(5, 1, 1).split(4):
    train_chunk(chunk[:, :-1], chunk[:, 1:])

# %% right: the state is detached on its way in, and the graph is kept for a second loss on it
model, head, hidden = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 8), torch.zeros(1, 4, 16)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)


def train_chunk(inputs, targets, hidden):
    outputs, after = model(inputs, hidden.detach())
    optimizer.zero_grad()
    F.mse_loss(head(outputs), targets).backward(retain_graph=True)
    (1e-3 * outputs.square().mean()).backward()
    optimizer.step()
    return after


for part in sequence.split(10, dim=1):
    hidden = train_chunk(part[:, :-1], part[:, 1:], hidden)
part = sequence[:, :20]

# %% right: ten losses of one graph, one after the other
model, hidden = nn.Linear(8, 10), None


def train_chunk(inputs, targets, hidden=None):
    outputs = model(inputs).square().mean(dim=(0, 1))
    for number in range(10):
        outputs[number].backward(retain_graph=number < 9)


part = sequence[:, :20]
for _ in range(4):
    train_chunk(part[:, :-1], part[:, 1:])

# %% watched: a class that carries a memory from document to document, and updates once at the end
class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.cell, self.head = nn.Embedding(50, 16), nn.LSTMCell(16, 16), nn.Linear(16, 50)
        self.state = None

    def forward(self, tokens):
        total = 0.0
        for now, following in zip(tokens, tokens[1:], strict=False):
            self.state = self.cell(self.embedding(now), self.state)
            total = total + F.cross_entropy(self.head(self.state[0]), following)
        return total


reader = Reader()
optimizer = torch.optim.AdamW(reader.parameters())
for document in torch.randint(50, (40, 6, 8)):
    reader(document).backward(retain_graph=True)
optimizer.step()

# %% watched: a running average of features, and weights that are updated through `.data`
encoder, average = nn.Linear(8, 4), torch.zeros(4)
for step in range(20):
    features = encoder(torch.randn(16, 8))
    average = 0.9 * average + 0.1 * features.mean(dim=0)
    (features - average).square().mean().backward(retain_graph=True)
    for parameter in encoder.parameters():
        parameter.data -= 0.1 * parameter.grad
        parameter.grad = None

# %% right: deep supervision, a loss for each of twelve layers with a backward pass of its own
layers, hidden = nn.ModuleList(nn.Linear(8, 8) for _ in range(12)), None


def train_chunk(inputs, targets, hidden=None):
    for layer in layers:
        inputs = layer(inputs).tanh()
        F.mse_loss(inputs, targets).backward(retain_graph=True)


part = sequence[:, :20]
for _ in range(3):
    train_chunk(part[:, :-1], part[:, 1:])

# %% right: a meta-learner, whose inner steps are differentiated by grad()
model, hidden = nn.Linear(8, 8), None


def train_chunk(inputs, targets, hidden=None):
    fast = list(model.parameters())
    for _ in range(5):
        loss = F.mse_loss(F.linear(inputs, *fast), targets)
        grads = torch.autograd.grad(loss, fast, create_graph=True)
        fast = [weight - 0.1 * grad for weight, grad in zip(fast, grads, strict=True)]
    F.mse_loss(F.linear(inputs, *fast), targets).backward()


part = sequence[:, :20]
for _ in range(20):
    train_chunk(part[:, :-1], part[:, 1:])

# %% right: an answer that is refined twelve times, with a loss and a backward pass for each
refine, head, hidden = nn.GRUCell(8, 16), nn.Linear(16, 8), None


def train_chunk(inputs, targets, hidden=None):
    answer = torch.zeros(len(inputs), 16)
    for number in range(12):
        answer = refine(inputs[:, 0], answer)
        F.l1_loss(head(answer), targets[:, 0]).backward(retain_graph=number < 11)


part = sequence[:, :20]
for _ in range(6):
    train_chunk(part[:, :-1], part[:, 1:])

# %% right: a learned learning rate, for which twenty steps are differentiated
log_rate, hidden = nn.Parameter(torch.tensor(-3.0)), None


def train_chunk(inputs, targets, hidden=None):
    weight = torch.zeros(8, requires_grad=True)
    for number in range(20):
        weight.retain_grad()
        (inputs[:, number] @ weight - targets[:, number, 0]).square().mean().backward(create_graph=True)
        weight = weight - log_rate.exp() * weight.grad
    (inputs[:, -1] @ weight).square().mean().backward()
    log_rate.grad = None


part = sequence[:, :21]
train_chunk(part[:, :-1], part[:, 1:])
