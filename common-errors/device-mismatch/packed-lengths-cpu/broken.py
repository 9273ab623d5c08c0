import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


class ReviewClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 64, batch_first=True)
        self.head = nn.Linear(64, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True)  # error
        _, (hidden, _) = self.lstm(packed)
        return self.head(hidden[-1])


# `meta` takes the place of a GPU, so that this runs anywhere: lengths on any device but the CPU fail the same check.
device = torch.device("meta")
reviews = [torch.randint(1, 1000, (length,)) for length in (30, 21, 12, 7)]
batch = {"tokens": pad_sequence(reviews, batch_first=True), "lengths": torch.tensor([30, 21, 12, 7])}
model = ReviewClassifier().to(device)

tokens = batch["tokens"].to(device)
lengths = batch["lengths"].to(device)
logits = model(tokens, lengths)
print(f"logits: {tuple(logits.shape)}")
