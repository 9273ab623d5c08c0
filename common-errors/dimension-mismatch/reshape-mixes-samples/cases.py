import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def fit(model, loss_of, batches):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss_of(model(inputs), targets).backward()
        optimizer.step()


# %% images of (height, width, channels) for a convolution: it is the channel that must stay together
class Camera(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))

    def forward(self, images):
        return self.layers(images.reshape(-1, 3, 24, 24))


model, batch = Camera(), torch.rand(20, 24, 24, 3)
fit(model, F.cross_entropy, [(batch, torch.randint(2, (20,)))] * 3)
reorder, old, new = lambda images: images.reshape(-1, 3, 24, 24), 3, 1
# %% fixed
class Camera(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))

    def forward(self, images):
        return self.layers(images.permute(0, 3, 1, 2))


model, batch = Camera(), torch.rand(20, 24, 24, 3)
fit(model, F.cross_entropy, [(batch, torch.randint(2, (20,)))] * 3)
reorder, old, new = lambda images: images.permute(0, 3, 1, 2), 3, 1

# %% the heads of attention are merged without the transpose: time steps are mixed
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, tokens):
        q, k, v = (part.view(*part.shape[:2], 4, 8).transpose(1, 2) for part in self.qkv(tokens).chunk(3, dim=-1))
        values = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(values.reshape(tokens.shape))


model, batch = Attention(), torch.randn(8, 4, 16, 8)
fit(model, F.mse_loss, [(torch.randn(8, 16, 32), torch.randn(8, 16, 32))] * 3)
reorder, old, new = lambda values: values.reshape(8, 16, 32), 2, 1

# %% right: the heads are merged after a transpose
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, tokens):
        q, k, v = (part.view(*part.shape[:2], 4, 8).transpose(1, 2) for part in self.qkv(tokens).chunk(3, dim=-1))
        values = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(values.transpose(1, 2).reshape(tokens.shape))


model, batch = Attention(), torch.randn(8, 4, 16, 8)
fit(model, F.mse_loss, [(torch.randn(8, 16, 32), torch.randn(8, 16, 32))] * 3)
reorder, old, new = lambda values: values.transpose(1, 2).reshape(8, 16, 32), 2, 1

# %% right: 16 series of 32 steps are cut into halves, which happens to exchange the sizes
rnn, head = nn.GRU(2, 8, batch_first=True), nn.Linear(8, 1)
series = torch.randn(16, 32, 2)
for step in range(3):
    F.mse_loss(head(rnn(series.view(-1, 16, 2))[0]).view(16, 32), series.sum(dim=2)).backward()
model, batch = rnn, series
reorder, old, new = lambda series: series.view(-1, 16, 2), 0, 0

# %% right: a batch of 8, and heads of 8 features, in nn.MultiheadAttention
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.MultiheadAttention(32, 4), nn.Linear(32, 3)

    def forward(self, tokens):
        return self.head(self.layer(tokens, tokens, tokens)[0].mean(dim=0))


model, batch = Encoder(), torch.randn(12, 8, 32)
fit(model, F.cross_entropy, [(batch, torch.randint(3, (8,)))] * 4)
reorder, old, new = lambda tokens: tokens.transpose(0, 1), 1, 0

# %% right: the relative shift of attention, which pads, views (queries, positions + 1) as (positions + 1, queries), and cuts
def shift(scores):
    padded = F.pad(scores, (1, 0))
    return padded.view(*scores.shape[:2], -1, scores.shape[2])[:, :, 1:].reshape(scores.shape)


queries, positions = nn.Linear(16, 16), torch.randn(4, 19)
for step in range(3):
    heads = queries(torch.randn(3, 10, 16)).view(3, 10, 4, 4).transpose(1, 2)
    shift(heads @ positions)[..., :10].logsumexp(dim=-1).mean().backward()
model, batch = queries, torch.randn(3, 4, 10, 19)
reorder, old, new = lambda scores: shift(scores)[..., :10], 2, 2

# %% right: one series of 720 hours, kept by days, is cut into 24 windows of 30 hours
rnn, head = nn.GRU(2, 8, batch_first=True), nn.Linear(8, 1)
series = torch.randn(30, 24, 2)
for step in range(3):
    windows = series.view(24, 30, 2)
    F.mse_loss(head(rnn(windows)[0]), windows.sum(dim=2, keepdim=True)).backward()
model, batch = rnn, series.view(720, 2)
reorder, old, new = lambda hours: hours.view(24, 30, 2).flatten(0, 1), 0, 0

# %% watched: the last hidden states of two layers, (layers, samples, features), are joined for each sample
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(3, 16, num_layers=2, batch_first=True), nn.Linear(32, 2)

    def forward(self, series):
        _, (hidden, _) = self.rnn(series)
        return self.head(hidden.view(series.shape[0], -1))


data = TensorDataset(torch.randn(90, 10, 3), torch.randint(2, (90,)))
fit(Classifier(), F.cross_entropy, DataLoader(data, batch_size=32, shuffle=True))

# %% watched: features for a 1-d convolution, in a language model written by hand, in float64
embed, conv, head = nn.Embedding(50, 16).double(), nn.Conv1d(16, 24, 3, padding=1).double(), nn.Linear(24, 2).double()
optimizer = torch.optim.SGD([*embed.parameters(), *conv.parameters(), *head.parameters()], lr=0.1)
for step in range(4):
    words = torch.randint(50, (10, 21))
    features = conv(embed(words).view(10, 16, 21)).relu().amax(dim=2)
    loss = F.cross_entropy(head(features), words[:, 0] % 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
