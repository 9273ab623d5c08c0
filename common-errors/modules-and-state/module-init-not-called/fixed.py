import torch
from torch import nn


class SpamFilter(nn.Module):
    def __init__(self, vocabulary_size):
        super().__init__()  # first: creates the registers that the layers below go into
        self.embedding = nn.EmbeddingBag(vocabulary_size, 16)
        self.fc = nn.Linear(16, 2)

    def forward(self, tokens):
        return self.fc(self.embedding(tokens))


torch.manual_seed(0)
model = SpamFilter(vocabulary_size=1000)
scores = model(torch.randint(1000, (8, 20)))
print(f"scores: {tuple(scores.shape)} parameters: {len(list(model.parameters()))}")
