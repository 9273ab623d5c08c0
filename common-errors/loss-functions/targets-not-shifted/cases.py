import torch
from torch import nn

torch.manual_seed(0)
text = torch.randint(12, (2000,))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(12, 16), nn.Embedding(10, 16)
        self.blocks = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True), 1)
        self.head = nn.Linear(16, 12)

    def forward(self, inputs):
        length = inputs.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        hidden = self.tokens(inputs) + self.places(torch.arange(length))
        return self.head(self.blocks(hidden, mask=mask, is_causal=True))


def train(model, loss_of, batches):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for batch in batches:
        optimizer.zero_grad()
        loss_of(*batch).backward()
        optimizer.step()


# %% a dataset of windows that returns the window twice
model = Transformer()
pairs = [(text[start : start + 10], text[start : start + 10]) for start in range(0, 1600, 10)]
loader = torch.utils.data.DataLoader(pairs, batch_size=16, shuffle=True)
train(model, lambda inputs, targets: nn.functional.cross_entropy(model(inputs).transpose(1, 2), targets), loader)
batch, targets = next(iter(loader))
# %% fixed
model = Transformer()
pairs = [(text[start : start + 10], text[start + 1 : start + 11]) for start in range(0, 1600, 10)]
loader = torch.utils.data.DataLoader(pairs, batch_size=16, shuffle=True)
train(model, lambda inputs, targets: nn.functional.cross_entropy(model(inputs).transpose(1, 2), targets), loader)
batch, targets = next(iter(loader))

# %% columns of text as an LSTM reads them by default, and NLLLoss on flattened targets
columns = text.view(20, 100).t()
embed, rnn, head = nn.Embedding(12, 16), nn.LSTM(16, 16), nn.Linear(16, 12)
model = nn.ModuleList([embed, rnn, head])
criterion = nn.NLLLoss()
forward = lambda inputs: head(rnn(embed(inputs))[0]).log_softmax(-1).flatten(0, 1)
batches = [(columns[start : start + 9], columns[start : start + 9].reshape(-1)) for start in range(0, 90, 9)]
train(model, lambda inputs, targets: criterion(forward(inputs), targets), batches)
batch, targets = batches[0]
# %% fixed
columns = text.view(20, 100).t()
embed, rnn, head = nn.Embedding(12, 16), nn.LSTM(16, 16), nn.Linear(16, 12)
model = nn.ModuleList([embed, rnn, head])
criterion = nn.NLLLoss()
forward = lambda inputs: head(rnn(embed(inputs))[0]).log_softmax(-1).flatten(0, 1)
batches = [(columns[start : start + 9], columns[start + 1 : start + 10].reshape(-1)) for start in range(0, 90, 9)]
train(model, lambda inputs, targets: criterion(forward(inputs), targets), batches)
batch, targets = batches[0]

# %% a sentence with padding, whose labels are a copy of it
model = Transformer()
sentences = text.view(-1, 10).clone()
sentences[::2, 6:] = 0
labels = sentences.masked_fill(sentences == 0, -100)
batches = list(zip(sentences.split(20), labels.split(20)))
train(model, lambda inputs, labels: nn.functional.cross_entropy(model(inputs).flatten(0, 1), labels.flatten()), batches)
batch, targets = batches[0]

# %% right: the shift is made in front of the loss, as models of Hugging Face make it inside
model = Transformer()


def language_loss(inputs, labels):
    logits = model(inputs)
    return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


windows = text.view(-1, 10)
train(model, language_loss, [(batch, batch) for batch in windows.split(20)])
batch, targets = windows[:20, :-1], windows[:20, 1:]

# %% right: a masked language model, where the input differs from the targets at some positions
model = Transformer()
windows = text.view(-1, 10)
hidden = torch.rand(windows.shape) < 0.15
inputs, targets = windows.masked_fill(hidden, 0), windows.masked_fill(~hidden, -100)
train(
    model,
    lambda inputs, targets: nn.functional.cross_entropy(model(inputs).transpose(1, 2), targets),
    zip(inputs.split(20), targets.split(20)),
)
batch, targets = inputs[:20], targets[:20]


# %% watched: attention with a mask of -1e9, whose logits and labels are both cut at the end
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.qkv, self.head = nn.Embedding(12, 16), nn.Linear(16, 48), nn.Linear(16, 12)

    def forward(self, input_ids, labels):
        hidden = self.tokens(input_ids)
        query, key, value = self.qkv(hidden).chunk(3, dim=-1)
        mask = -1e9 * torch.ones(10, 10).triu(1)
        hidden = hidden + nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        logits = self.head(hidden)[:, :-1]
        return {"logits": logits, "loss": nn.functional.cross_entropy(logits.transpose(1, 2), labels[:, :-1])}


model = Masked()
train(model, lambda batch: model(input_ids=batch, labels=batch)["loss"], [(batch,) for batch in text.view(-1, 10).split(20)])

# %% right: words are dropped, and the model restores them
embed, rnn, head = nn.Embedding(12, 16), nn.LSTM(16, 16, batch_first=True), nn.Linear(16, 12)
model = nn.ModuleList([embed, rnn, head])
forward = lambda batch, keep: head(rnn(keep * embed(batch))[0]).transpose(1, 2)
batches = [(batch, (torch.rand(20, 10, 1) > 0.3).float()) for batch in text.view(-1, 10).split(20)]
train(model, lambda batch, keep: nn.functional.cross_entropy(forward(batch, keep), batch), batches)
targets, batch = batches[0][0], batches[0][0] * batches[0][1].squeeze(-1)

# %% right: a model that puts a start before its input, moved by one
columns = text.view(20, 100).t()
embed, rnn, head = nn.Embedding(12, 16), nn.LSTM(16, 16), nn.Linear(16, 12)
model = nn.ModuleList([embed, rnn, head])
forward = lambda inputs: head(rnn(torch.cat([torch.zeros(1, 20, 16), embed(inputs)[:-1]]))[0]).flatten(0, 1)
batches = [(part, part.reshape(-1)) for part in columns[:90].split(9)]
train(model, lambda inputs, targets: nn.functional.cross_entropy(forward(inputs), targets), batches)
batch, targets = columns[:8], columns[1:9]
