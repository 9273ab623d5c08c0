import torch
from torch import nn


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 32)
        self.lstm = nn.LSTM(32, 64, batch_first=True)
        self.dropout = nn.Dropout(0.3)  # one layer has no next layer to drop for: drop its outputs
        self.classifier = nn.Linear(64, 2)

    def forward(self, tokens):
        outputs, _ = self.lstm(self.embedding(tokens))
        return self.classifier(self.dropout(outputs[:, -1]))


torch.manual_seed(0)
model = Sentiment().train()
tokens = torch.randint(1000, (8, 20))
print(f"two calls in train mode give the same logits: {model(tokens).equal(model(tokens))}")
