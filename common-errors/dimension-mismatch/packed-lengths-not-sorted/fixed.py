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
        # The reviews are in random order: let PyTorch sort them, and restore the order afterwards.
        packed = pack_padded_sequence(self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return self.head(hidden[-1])


torch.manual_seed(0)
reviews = [torch.randint(1, 1000, (length,)) for length in (12, 30, 7, 21)]
lengths = torch.tensor([len(review) for review in reviews])
tokens = pad_sequence(reviews, batch_first=True)
model = ReviewClassifier()
logits = model(tokens, lengths)
print(f"logits: {tuple(logits.shape)}")
