import torch
from torch import nn


class SentimentModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 32)
        self.encoder = nn.LSTM(32, 64, batch_first=True)
        self.head = nn.Linear(64, 2)

    def forward(self, tokens):
        states, _ = self.encoder(self.embedding(tokens))
        return self.head(states[:, -1])


torch.manual_seed(0)
model = SentimentModel().cuda()
optimizer = torch.optim.Adam(model.parameters())
tokens, labels = torch.randint(1000, (16, 20), device="cuda"), torch.randint(2, (16,), device="cuda")
for epoch in range(2):
    model.eval()
    with torch.no_grad():
        accuracy = (model(tokens).argmax(1) == labels).float().mean().item()
    print(f"epoch={epoch} accuracy={accuracy:.1f}")
    loss = nn.functional.cross_entropy(model(tokens), labels)
    optimizer.zero_grad()
    loss.backward()  # error
    optimizer.step()
