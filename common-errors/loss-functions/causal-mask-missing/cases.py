import torch
from torch import nn

torch.manual_seed(0)
text = torch.randint(12, (2000,))
windows = text.unfold(0, 11, 3)


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for inputs, targets in batches:
        loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %% scaled_dot_product_attention without is_causal
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(12, 16), nn.Embedding(10, 16)
        self.qkv, self.head = nn.Linear(16, 48), nn.Linear(16, 12)

    def forward(self, tokens):
        hidden = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
        query, key, value = self.qkv(hidden).chunk(3, dim=-1)
        return self.head(hidden + nn.functional.scaled_dot_product_attention(query, key, value))


model = GPT()
train(model, [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])
inputs = windows[:4, :-1]


# %% fixed
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(12, 16), nn.Embedding(10, 16)
        self.qkv, self.head = nn.Linear(16, 48), nn.Linear(16, 12)

    def forward(self, tokens):
        hidden = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
        query, key, value = self.qkv(hidden).chunk(3, dim=-1)
        return self.head(hidden + nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True))


model = GPT()
train(model, [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])
inputs = windows[:4, :-1]


# %% attention by hand, whose mask is made and never applied
class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)
        self.query, self.key, self.value = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, tokens):
        hidden = self.tokens(tokens)
        scores = self.query(hidden) @ self.key(hidden).transpose(1, 2) / 4
        hide = torch.ones(scores.shape[-2:]).triu(1).bool()
        scores.masked_fill(hide, -torch.inf)
        return self.head(hidden + scores.softmax(-1) @ self.value(hidden))


model = Reader()
train(model, [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])
inputs = windows[:4, :-1]


# %% right: a mask of numbers, and targets that are moved in front of the loss
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)
        self.block = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)

    def forward(self, tokens):
        hide = torch.full((tokens.shape[1], tokens.shape[1]), -torch.inf).triu(1)
        return self.head(self.block(self.tokens(tokens), src_mask=hide))


model = Masked()
train(model, [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])
inputs = windows[:4]


# %% right: a GRU reads from left to right without a mask
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.rnn, self.head = nn.Embedding(12, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 12)

    def forward(self, tokens):
        return self.head(self.rnn(self.tokens(tokens))[0])


model = Recurrent()
train(model, [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])
inputs = windows[:4, :-1]


# %% watched: rotary positions, and fewer heads of keys than of queries
class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)
        self.query, self.pairs = nn.Linear(16, 16), nn.Linear(16, 8)
        angles = torch.outer(torch.arange(10.0), torch.tensor([1.0, 0.1])).repeat(1, 2)
        self.cos, self.sin = angles.cos(), angles.sin()

    def turn(self, heads):
        return heads * self.cos + torch.cat([-heads[..., 2:], heads[..., :2]], dim=-1) * self.sin

    def forward(self, tokens):
        hidden = self.tokens(tokens)
        query = self.query(hidden).view(-1, 10, 4, 4).transpose(1, 2)
        key, value = self.pairs(hidden).view(-1, 10, 2, 1, 4).transpose(1, 3).expand(-1, 4, -1, -1, -1).unbind(2)
        read = nn.functional.scaled_dot_product_attention(self.turn(query), self.turn(key), value)
        return self.head(hidden + read.transpose(1, 2).flatten(2))


train(Rotary(), [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])


# %% right: a mask of -1e9 is added
class Added(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)
        self.attention = nn.MultiheadAttention(16, 2, dropout=0.1, batch_first=True)

    def forward(self, tokens):
        hidden, mask = self.tokens(tokens), -1e9 * torch.ones(tokens.shape[1], tokens.shape[1]).triu(1)
        return self.head(hidden + self.attention(hidden, hidden, hidden, attn_mask=mask, need_weights=False)[0])


model = Added()
train(model, [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])
inputs = windows[:4, :-1]


# %% right: an encoder and a decoder are given the same tokens
class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)
        self.both = nn.Transformer(16, 2, 1, 2, 32, 0.0, batch_first=True)

    def forward(self, tokens, source=None):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        read = self.tokens(tokens if source is None else source)
        return self.head(self.both(read, self.tokens(tokens), tgt_mask=mask))


model = Translator()
train(model, [(batch[:, :-1], batch[:, 1:]) for batch in windows.split(16)])
inputs = windows[:4, :-1]
forward = lambda tokens: model(tokens, source=inputs)

# %% watched: columns of text, as nn.TransformerEncoderLayer reads them by default
class Columns(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.block, self.head = nn.Embedding(12, 16), nn.TransformerEncoderLayer(16, 2, 32), nn.Linear(16, 12)

    def forward(self, tokens):
        return self.head(self.block(self.tokens(tokens)))


train(Columns(), [(batch[:, :-1].t(), batch[:, 1:].t()) for batch in windows[:64].split(16)])


# %% right: a tagger reads both ways, and a language model from left to right
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)
        self.block = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)

    def forward(self, tokens, mask=None):
        return self.head(self.block(self.tokens(tokens), src_mask=mask))


train(Encoder(), [(batch, batch % 3) for batch in windows.split(16)])
model, inputs = Encoder(), windows[:4, :-1]
forward = lambda tokens: model(tokens, nn.Transformer.generate_square_subsequent_mask(tokens.shape[1]))
