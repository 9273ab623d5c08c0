import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def train(model, ids, targets, steps=80):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(ids).flatten(0, -2), targets.flatten()).backward()
        optimizer.step()

# %% for each word the one before it is predicted, by scaled_dot_product_attention
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.query, self.out = nn.Linear(32, 96), nn.Linear(32, 50)

    def forward(self, ids):
        hidden = self.words(ids)
        query, key, value = self.query(hidden).view(*ids.shape, 4, 24).transpose(1, 2).chunk(3, -1)
        mixed = F.scaled_dot_product_attention(query, key, value)
        return self.out(hidden + mixed.transpose(1, 2).flatten(2))


model, words = Model(), torch.randint(1, 50, (8, 20))
train(model, words, words.roll(1, 1))
# %% fixed
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32), nn.Embedding(64, 32)
        self.query, self.out = nn.Linear(32, 96), nn.Linear(32, 50)

    def forward(self, ids):
        hidden = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        query, key, value = self.query(hidden).view(*ids.shape, 4, 24).transpose(1, 2).chunk(3, -1)
        mixed = F.scaled_dot_product_attention(query, key, value)
        return self.out(hidden + mixed.transpose(1, 2).flatten(2))


model, words = Model(), torch.randint(1, 50, (8, 20))
train(model, words, words.roll(1, 1))

# %% a tagger with attention of its own, sequence first, with padding
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.attend = nn.Embedding(20, 16, padding_idx=0), nn.MultiheadAttention(16, 2)
        self.norm, self.out = nn.LayerNorm(16), nn.Linear(16, 5)

    def forward(self, ids):
        hidden = self.words(ids.T) * math.sqrt(16)
        mixed, _ = self.attend(hidden, hidden, hidden, key_padding_mask=ids == 0)
        return self.out(self.norm(hidden + mixed)).transpose(0, 1)


model, words = Tagger(), torch.randint(1, 20, (12, 15))
words[torch.arange(15) > torch.randint(8, 15, (12, 1))] = 0
train(model, words, torch.randint(5, words.shape))

# %% watched: a language model that computes positions and does not add them
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32), nn.Embedding(64, 32)
        self.query, self.out = nn.Linear(32, 96), nn.Linear(32, 50)

    def forward(self, ids):
        hidden, places = self.words(ids), self.places(torch.arange(ids.shape[1]))
        query, key, value = self.query(hidden).view(*ids.shape, 4, 24).transpose(1, 2).chunk(3, -1)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(hidden + mixed.transpose(1, 2).flatten(2))


model, ids = Model(), torch.randint(50, (8, 21))
train(model, ids[:, :-1], ids[:, 1:])

# %% right: positions as sines, then dropout
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.drop = nn.Embedding(20, 16), nn.Dropout(0.1)
        angles = torch.arange(64)[:, None] / 10000 ** (torch.arange(0, 16, 2) / 16)
        self.register_buffer("places", torch.stack([angles.sin(), angles.cos()], 2).flatten(1))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2)
        self.out = nn.Linear(16, 2)

    def forward(self, ids):
        return self.out(self.encoder(self.drop(self.words(ids) + self.places[: ids.shape[1]])).mean(1))


model, words = Classifier(), torch.randint(20, (12, 15))
train(model, words, torch.randint(2, (12,)))

# %% right: learned positions that begin at zero
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(20, 16), nn.Parameter(torch.zeros(1, 64, 16))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2)
        self.out = nn.Linear(16, 2)

    def forward(self, ids):
        return self.out(self.encoder(self.words(ids) + self.places[:, : ids.shape[1]])[:, 0])


model, words = Classifier(), torch.randint(20, (12, 15))
train(model, words, torch.randint(2, (12,)))
