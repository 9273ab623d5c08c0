import torch
from torch import nn


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 32)
        self.head = nn.Linear(32, 4)

    def forward(self, tokens, lengths):
        longest = lengths.max().item()
        # No `if`: a slice up to the full length keeps everything.
        tokens = tokens[:, :longest]
        return self.head(self.embedding(tokens).mean(dim=1))


torch.manual_seed(0)
tokens = torch.randint(1000, (8, 20))
lengths = torch.tensor([3, 5, 7, 9, 4, 4, 11, 2])
model = TextClassifier()
program = torch.export.export(model, (tokens, lengths))
logits = program.module()(tokens, lengths)
print(f"logits: {tuple(logits.shape)}")
