import torch
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(1000, 64)
        self.positions = nn.Parameter(torch.zeros(50, 64))
        layer = nn.TransformerEncoderLayer(64, nhead=4)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.head = nn.Linear(64, 1000)

    def forward(self, tokens):
        features = self.words(tokens) + self.positions
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.size(1), device=tokens.device)
        return self.head(self.encoder(features, mask=mask))  # error


torch.manual_seed(0)
model = LanguageModel()
tokens = torch.randint(1000, (16, 50))  # sentences, words
logits = model(tokens)
print(f"logits: {tuple(logits.shape)}")
