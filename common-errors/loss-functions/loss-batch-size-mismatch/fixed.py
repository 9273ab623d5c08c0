import torch
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, 32)
        self.gru = nn.GRU(32, 64, batch_first=True)
        self.head = nn.Linear(64, vocab_size)

    def forward(self, tokens):
        hidden, _ = self.gru(self.embedding(tokens))
        return self.head(hidden)


torch.manual_seed(0)
model = LanguageModel(vocab_size=16)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for step in range(60):
    # Sentences that count: each token is the one before it plus one.
    tokens = (torch.randint(16, (32, 1)) + torch.arange(20)) % 16
    # The last position has no next token to predict: drop its logits.
    logits, targets = model(tokens)[:, :-1], tokens[:, 1:]
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"final_loss={loss.item():.3f}")
