import torch
from torch import nn

torch.manual_seed(0)
# Reviews of 12 words out of 300; each word is positive or negative.
polarity = torch.randn(300)
words = torch.randint(300, (3000, 12))
labels = (polarity[words].sum(1) > 0).long()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(300, 8)
        self.head = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, words):
        features = self.embedding(words).mean(1)
        self.features = features.detach()  # for the plots only: the head gets the features with their graph
        return self.head(features)


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    for batch in torch.randperm(2000).split(50):
        loss = nn.functional.cross_entropy(model(words[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

with torch.no_grad():
    predicted = model(words[2000:]).argmax(1)
print(f"test_error={(predicted != labels[2000:]).float().mean().item():.3f}")
