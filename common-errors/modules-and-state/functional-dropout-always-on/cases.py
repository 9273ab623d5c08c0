import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, targets = torch.randn(64, 8), torch.randn(64, 1)


def train(model, given=inputs, wanted=targets, steps=5):
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(steps):
        optimizer.zero_grad()
        F.mse_loss(model(given), wanted).backward()
        optimizer.step()


def evaluate(model, given=inputs):
    model.eval()
    with torch.no_grad():
        return [model(part) for part in given.split(16)]

# %% a graph network that is evaluated on one graph after each epoch
class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 1)

    def forward(self, nodes):
        return self.second(torch.eye(64) @ F.dropout(torch.relu(self.first(nodes)), p=0.5))


model = GraphNet()
for epoch in range(4):
    train(model)
    model.eval()
    with torch.inference_mode():
        model(inputs)
call = lambda: model(inputs)
# %% fixed
class GraphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 1)

    def forward(self, nodes):
        return self.second(torch.eye(64) @ F.dropout(torch.relu(self.first(nodes)), p=0.5, training=self.training))


model = GraphNet()
for epoch in range(4):
    train(model)
    model.eval()
    with torch.inference_mode():
        model(inputs)
call = lambda: model(inputs)

# %% attention whose dropout is a number
class Attending(nn.Module):
    def __init__(self):
        super().__init__()
        self.split, self.out = nn.Linear(8, 24), nn.Linear(8, 1)

    def forward(self, x):
        query, key, value = self.split(x)[:, None].chunk(3, -1)
        return self.out(F.scaled_dot_product_attention(query, key, value, dropout_p=0.1).mean(2))


model, sentences = Attending(), torch.randn(64, 5, 8)
train(model, sentences, targets[:, None])
evaluate(model, sentences)
call = lambda: model(sentences)

# %% right: a mask of zeros in evaluation comes from a layer, which is off
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
train(model)
evaluate(model)
call = lambda: model(inputs)

# %% right: words are dropped in training only
class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, x):
        return self.layers(F.dropout(x, 0.2) if self.training else x)


model = Denoiser()
train(model, wanted=inputs)
evaluate(model)
call = lambda: model(inputs)

# %% watched: a language model whose state begins with zeros
class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.head = nn.Embedding(9, 16), nn.LSTM(16, 16, 2), nn.Linear(16, 9)

    def forward(self, words, state):
        out, state = self.rnn(F.dropout(self.embed(words), 0.2), state)
        return self.head(out), state


model, words = Words(), torch.randint(9, (120, 4))
optimizer = torch.optim.Adam(model.parameters())
for training in (True, False):
    model.train(training)
    state = torch.zeros(2, 4, 16), torch.zeros(2, 4, 16)
    for part in words.split(20):
        with torch.set_grad_enabled(training):
            logits, state = model(part[:-1], state)
        if training:
            F.cross_entropy(logits.flatten(0, 1), part[1:].flatten()).backward()
            optimizer.step()
            optimizer.zero_grad()
            state = state[0].detach(), state[1].detach()

# %% watched: a dropout layer that forward makes anew
class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, given):
        return self.last(nn.Dropout(0.2)(self.first(given).relu()))


model = Regressor()
train(model)
evaluate(model)
