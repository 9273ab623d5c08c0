import torch
from torch import nn


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 32, padding_idx=0)
        self.head = nn.Linear(32, 2)

    def forward(self, tokens, lengths):
        summed = self.embedding(tokens).sum(dim=1)
        return self.head(summed / lengths.unsqueeze(1))


torch.manual_seed(0)
model = TextClassifier()
tokens = torch.randint(1, 1000, (8, 20))
lengths = torch.randint(5, 21, (8,))
batch = (tokens, lengths)  # everything in the signature of forward, without self
logits = model(*batch)
print(f"logits: {tuple(logits.shape)}")
