import torch
from torch import nn

torch.manual_seed(0)
# Ten sentences of 3 to 12 words; 0 is padding.
tokens = torch.randint(1, 30, (10, 12)) * (torch.arange(12) < torch.arange(3, 13)[:, None])

# %% a tokenizer's attention_mask, 1 where a word is
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.query = nn.Embedding(30, 16), nn.Parameter(torch.randn(1, 1, 16))
        self.attention, self.head = nn.MultiheadAttention(16, 2, batch_first=True), nn.Linear(16, 3)

    def forward(self, tokens, attention_mask):
        values = self.embedding(tokens)
        pooled, _ = self.attention(self.query.expand(len(tokens), 1, 16), values, values, attention_mask.bool())
        return self.head(pooled[:, 0])


model, tokens = Model(), tokens[:9]
embedding, output, padding = model.embedding, (lambda: model(tokens, (tokens != 0).long())), tokens == 0
nn.functional.cross_entropy(output(), torch.arange(9) % 3).backward()
# %% fixed
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.query = nn.Embedding(30, 16), nn.Parameter(torch.randn(1, 1, 16))
        self.attention, self.head = nn.MultiheadAttention(16, 2, batch_first=True), nn.Linear(16, 3)

    def forward(self, tokens, attention_mask):
        values = self.embedding(tokens)
        pooled, _ = self.attention(self.query.expand(len(tokens), 1, 16), values, values, attention_mask == 0)
        return self.head(pooled[:, 0])


model, tokens = Model(), tokens[:9]
embedding, output, padding = model.embedding, (lambda: model(tokens, (tokens != 0).long())), tokens == 0
nn.functional.cross_entropy(output(), torch.arange(9) % 3).backward()

# %% attention by hand: the words are filled with -inf
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.score, self.head = nn.Embedding(30, 16), nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, tokens):
        values = self.embedding(tokens)
        scores = self.score(values.tanh()).squeeze(-1).masked_fill(tokens != 0, float("-inf"))
        return self.head((scores.softmax(1).unsqueeze(-1) * values).sum(1))


model, tokens = Model(), tokens[:9]
embedding, output, padding = model.embedding, (lambda: model(tokens)), tokens == 0
output().square().mean().backward()

# %% scaled_dot_product_attention, True at the padding
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(30, 16), nn.Linear(16, 2)

    def forward(self, tokens):
        heads = self.embedding(tokens).unflatten(2, (2, 8)).transpose(1, 2)
        mask = (tokens == 0)[:, None, None]
        return self.head(nn.functional.scaled_dot_product_attention(heads, heads, heads, attn_mask=mask)[:, :, 0].flatten(1))


model, tokens = Model(), tokens[:9]
embedding, output, padding = model.embedding, (lambda: model(tokens)), tokens == 0
output().square().mean().backward()

# %% watched: sequence first, a float mask, and a whole encoder
embedding, encoder = nn.Embedding(30, 16), nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32), 2)
mask = torch.zeros(9, 12).masked_fill(tokens[:9] != 0, float("-inf"))
encoder(embedding(tokens[:9].T), src_key_padding_mask=mask).square().mean().backward()

# %% right: True where attention must look, for scaled_dot_product_attention
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(30, 16), nn.Linear(16, 2)

    def forward(self, tokens):
        heads = self.embedding(tokens).unflatten(2, (2, 8)).transpose(1, 2)
        mask = (tokens != 0)[:, None, None]
        return self.head(nn.functional.scaled_dot_product_attention(heads, heads, heads, attn_mask=mask)[:, :, 0].flatten(1))


model = Model()
embedding, output, padding = model.embedding, (lambda: model(tokens)), tokens == 0
output().square().mean().backward()

# %% right: a translation, whose decoder must not look at the padding of the source, or ahead
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.of_target = nn.Embedding(30, 16, padding_idx=0), nn.Embedding(40, 16)
        self.transformer, self.head = nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True), nn.Linear(16, 40)

    def forward(self, tokens, target):
        ahead = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        decoded = self.transformer(
            self.embedding(tokens), self.of_target(target), tgt_mask=ahead, tgt_is_causal=True,
            src_key_padding_mask=tokens == 0, memory_key_padding_mask=tokens == 0,
        )
        return self.head(decoded)


model, target = Model(), torch.randint(40, (10, 7))
embedding, output, padding = model.embedding, (lambda: model(tokens, target)), tokens == 0
output().square().mean().backward()

# %% right: some words are hidden, and the output is set to zero where padding is
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.score, self.head = nn.Embedding(31, 16), nn.Linear(16, 1), nn.Linear(16, 30)

    def forward(self, tokens, hidden):
        values = self.embedding(tokens.masked_fill(hidden, 30))
        weights = self.score(values).transpose(1, 2).masked_fill((tokens == 0)[:, None], -1e9).softmax(-1)
        return self.head(values + weights @ values).masked_fill((tokens == 0)[..., None], 0)


model, hidden = Model(), (torch.rand(10, 12) < 0.15) & (tokens != 0)
embedding, output, padding = model.embedding, (lambda: model(tokens, hidden)), tokens == 0
output().square().mean().backward()
