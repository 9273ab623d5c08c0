import torch
from torch import nn

torch.manual_seed(0)
# Reviews of up to 12 words, padded with 0. Positive ones use the words 1 to 20 more often.
labels = torch.randint(2, (1000,))
likely = torch.where(torch.arange(1, 101) <= 20, 1 + 7.0 * labels[:, None], 1.0)
words = torch.multinomial(likely, 12, replacement=True) + 1
lengths = torch.randint(6, 13, (1000,))
lengths[300] = 0  # one review is empty
words[torch.arange(12) >= lengths[:, None]] = 0


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.score, self.head = nn.Embedding(101, 16), nn.Linear(16, 1), nn.Linear(16, 2)

    def forward(self, words):
        embedded = self.embedding(words)
        scores = self.score(embedded)[..., 0].masked_fill(words == 0, -torch.inf)  # error
        return self.head((scores.softmax(dim=1)[..., None] * embedded).sum(dim=1))


def train():
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step, rows in enumerate(torch.arange(800).repeat(5).split(50)):
        loss = nn.functional.cross_entropy(model(words[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in (0, 5, 6, 7, 79):
            print(f"step={step} loss={loss.item():.1f}")
    return model, loss


model, loss = train()
with torch.no_grad():
    error = (model(words[800:]).argmax(1) != labels[800:]).float().mean().item()
print(f"val_error={error:.3f}")
