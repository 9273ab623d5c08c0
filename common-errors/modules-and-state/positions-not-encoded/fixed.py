import torch
from torch import nn

torch.manual_seed(0)
# Sentences of ten words. Which of the words 0 and 1 comes first?
words = torch.randint(2, 30, (1200, 10))
places = torch.rand(1200, 10).argsort(1)[:, :2]
words.scatter_(1, places, torch.tensor([0, 1]).expand(1200, 2))
labels = (places[:, 0] < places[:, 1]).long()


class Classifier(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.tokens = nn.Embedding(30, width)
        self.positions = nn.Embedding(10, width)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.head = nn.Linear(width, 2)

    def forward(self, ids):
        hidden = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))  # what, and where
        return self.head(self.encoder(hidden).mean(1))


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for epoch in range(12):
    for batch in torch.randperm(1000).split(50):
        loss = nn.functional.cross_entropy(model(words[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 4 == 3:
        print(f"epoch={epoch} loss={loss.item():.2f}")

with torch.no_grad():
    predicted = model(words[1000:]).argmax(1)
print(f"error_rate={(predicted != labels[1000:]).float().mean().item():.2f}")
