import torch
from torch import nn

torch.manual_seed(0)
# Sentences of 3 to 9 words; 0 is padding.
tokens = torch.randint(1, 30, (16, 12)) * (torch.arange(12) < torch.randint(3, 10, (16, 1)))


def train(compute, predict, steps=4):
    for step in range(steps):
        compute(predict()).backward()

# %% classes in the second dimension, and a recurrent model
embedding, rnn, head = nn.Embedding(30, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 30)
predict = lambda: head(rnn(embedding(tokens[:, :-1]))[0])
compute = lambda logits: nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])
padding = tokens[:, 1:] == 0
train(compute, predict)
# %% fixed
PAD = 0
embedding, rnn, head = nn.Embedding(30, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 30)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
predict = lambda: head(rnn(embedding(tokens[:, :-1]))[0])
compute = lambda logits: criterion(logits.transpose(1, 2), tokens[:, 1:])
padding = tokens[:, 1:] == 0
train(compute, predict)

# %% the padding of a tokenizer, sequence first, and another number ignored
batch = torch.where(tokens == 0, 29, tokens % 29).T
embedding, encoder, head = nn.Embedding(30, 16), nn.TransformerEncoderLayer(16, 2, 32), nn.Linear(16, 30)
predict = lambda: head(encoder(embedding(batch)))
compute = lambda logits: nn.NLLLoss(ignore_index=0)(logits.flatten(0, 1).log_softmax(1), batch.flatten())
padding = batch == 29
train(compute, predict)

# %% right: one value for each target, and a mask
embedding, head = nn.Embedding(30, 16), nn.Linear(16, 30)
predict = lambda: head(embedding(tokens[:, :-1]))
padding = tokens[:, 1:] == 0


def compute(logits):
    each = nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
    return (each * ~padding).sum() / (~padding).sum()


train(compute, predict)

# %% right: the padding has no weight
embedding, head, weight = nn.Embedding(30, 16), nn.Linear(16, 30), torch.ones(30)
weight[0] = 0
predict = lambda: head(embedding(tokens[:, :-1]))
compute = lambda logits: nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), weight=weight)
padding = tokens[:, 1:] == 0
train(compute, predict)

# %% right: -100 at the padding
targets = tokens[:, 1:].masked_fill(tokens[:, 1:] == 0, -100)
embedding, head = nn.Embedding(30, 16), nn.Linear(16, 30)
predict = lambda: head(embedding(tokens[:, :-1]))
compute = lambda logits: nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
padding = targets == -100
train(compute, predict)

# %% undecided: sentences of one length, and a frequent word with the number 0
sentences = torch.randint(0, 30, (16, 12)) * (torch.rand(16, 12) < 0.6)
embedding, head = nn.Embedding(30, 16), nn.Linear(16, 30)
predict = lambda: head(embedding(sentences[:, :-1]))
compute = lambda logits: nn.functional.cross_entropy(logits.flatten(0, 1), sentences[:, 1:].flatten())
padding = torch.zeros(16, 11, dtype=torch.bool)
train(compute, predict)
