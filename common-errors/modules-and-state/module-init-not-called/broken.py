import torch
from torch import nn


class SpamFilter(nn.Module):
    def __init__(self, vocabulary_size):
        self.embedding = nn.EmbeddingBag(vocabulary_size, 16)  # error
        self.fc = nn.Linear(16, 2)

    def forward(self, tokens):
        return self.fc(self.embedding(tokens))


torch.manual_seed(0)
model = SpamFilter(vocabulary_size=1000)
logits = model(torch.randint(1000, (8, 20)))
print(f"logits: {tuple(logits.shape)} parameters: {len(list(model.parameters()))}")
