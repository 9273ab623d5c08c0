import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def train(model, loss_of, batches, epochs=1):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for _ in range(epochs):
        for batch in batches:
            optimizer.zero_grad()
            loss_of(*batch).backward()
            optimizer.step()


# %% a tag for each word of a sentence: the shapes agree
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.rnn, self.head = nn.Embedding(30, 8), nn.LSTM(8, 16, bidirectional=True), nn.Linear(32, 4)

    def forward(self, words):
        return self.head(self.rnn(self.words(words))[0])


model, batch = Tagger(), torch.randint(30, (16, 7))
# %% fixed
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(30, 8), nn.Linear(32, 4)
        self.rnn = nn.LSTM(8, 16, bidirectional=True, batch_first=True)

    def forward(self, words):
        return self.head(self.rnn(self.words(words))[0])


model, batch = Tagger(), torch.randint(30, (16, 7))

# %% a transformer encoder that averages over time
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
        self.head = nn.Linear(8, 3)

    def forward(self, sequences):
        return self.head(self.layers(sequences).mean(dim=1))


model, batch = Encoder(), torch.randn(16, 5, 8)

# %% right: transposed before the layer, and the last time step is the first dimension
class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(3, 16), nn.Linear(16, 1)

    def forward(self, sequences):
        return self.head(self.rnn(sequences.transpose(0, 1))[0][-1])


model, batch = Regressor(), torch.randn(16, 7, 3)
data = DataLoader(TensorDataset(torch.randn(110, 7, 3), torch.randn(110, 1)), batch_size=16, shuffle=True)
train(model, lambda x, y: nn.functional.mse_loss(model(x), y), data)

# %% right: a language model whose batches are (time, samples)
class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.rnn, self.head = nn.Embedding(30, 8), nn.GRU(8, 16), nn.Linear(16, 30)

    def forward(self, words):
        return self.head(self.rnn(self.words(words))[0])


model, batch, batch_dim = Language(), torch.randint(30, (12, 4)), 1
text = torch.randint(30, (121, 4))
batches = [(text[start : start + 12], text[start + 1 : start + 13]) for start in range(0, 120, 12)]
train(model, lambda x, y: nn.functional.cross_entropy(model(x).view(-1, 30), y.reshape(-1)), batches)

# %% right: one loss for each sample of (time, samples)
rnn = nn.GRU(3, 4)
model, batch, batch_dim = nn.Sequential(rnn), torch.randn(9, 5, 3), 1
forward = lambda model, batch: model(batch)[0]  # noqa: E731
labels = torch.randint(4, (9, 5))
train(rnn, lambda x: sum(nn.functional.cross_entropy(rnn(x)[0][:, i], labels[:, i]) for i in range(5)), [(batch,)] * 6)

# %% right: a graph at each time step, (time, nodes), read out by the mean over its nodes
rnn, head = nn.GRU(3, 8), nn.Linear(8, 2)
model, batch, batch_dim = nn.Sequential(rnn), torch.randn(20, 6, 3), 1
forward = lambda model, batch: model(batch)[0]  # noqa: E731
data = DataLoader(TensorDataset(torch.randn(200, 6, 3), torch.randint(2, (200,))), batch_size=20)
train(rnn, lambda x, y: nn.functional.cross_entropy(head(rnn(x)[0].mean(dim=1)), y), data)

# %% watched: tags, and a last batch that is smaller
words, rnn, head = nn.Embedding(30, 8), nn.LSTM(8, 16, bidirectional=True), nn.Linear(32, 4)
data = DataLoader(TensorDataset(torch.randint(30, (70, 7)), torch.randint(4, (70, 7))), batch_size=16, shuffle=True)
train(rnn, lambda x, y: nn.functional.cross_entropy(head(rnn(words(x))[0]).transpose(1, 2), y), data)

# %% watched: a trainer, a transformer and keyword arguments
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
        self.head = nn.Linear(8, 3)

    def forward(self, sequences):
        return {"logits": self.head(self.layers(src=sequences).mean(dim=1))}


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader, self.optimizer = model, loader, torch.optim.SGD(model.parameters(), lr=0.1)

    def fit(self):
        for sequences, labels in self.loader:
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(input=self.model(sequences=sequences)["logits"], target=labels).backward()
            self.optimizer.step()


data = TensorDataset(torch.randn(64, 5, 8), torch.randint(3, (64,)))
Trainer(Encoder(), DataLoader(data, batch_size=16, shuffle=True)).fit()

# %% watched: batches cut by hand, a stacked RNN, a loss written by hand beside one of torch
rnn, head = nn.RNN(input_size=3, hidden_size=8, num_layers=2), nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 1))
series, targets = torch.randn(96, 10, 3), torch.randn(96, 1)
optimizer = torch.optim.AdamW([*rnn.parameters(), *head.parameters()])
for rows in torch.randperm(96).split(24):
    outputs, last = rnn(input=series[rows])
    loss = nn.functional.smooth_l1_loss(head(outputs[:, -1, :]), targets[rows]) + 0.01 * outputs.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: the same language model with batch_first=True, as if its batches were (samples, time)
class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.rnn = nn.Embedding(30, 8), nn.LSTM(8, 16, batch_first=True)
        self.head = nn.Linear(16, 30)

    def forward(self, words):
        return self.head(self.rnn(self.words(words))[0]).flatten(0, 1)


text = torch.randint(30, (121, 4))
batches = [(text[start : start + 12], text[start + 1 : start + 13]) for start in range(0, 120, 12)]
model = Language()
train(model, lambda x, y: nn.functional.cross_entropy(model(x), y.flatten()), batches)

# %% watched: letters without an embedding, and targets cut off inside the loss
rnn, head = nn.RNN(10, 16), nn.Linear(16, 10)
letters = [(torch.randint(10, (6, 15)),) for _ in range(8)]


def loss_of(ids):
    scores = head(rnn(nn.functional.one_hot(ids, 10).float())[0])
    return nn.functional.cross_entropy(scores[:, :-1].transpose(1, 2), ids[:, 1:])


train(rnn, loss_of, letters)
