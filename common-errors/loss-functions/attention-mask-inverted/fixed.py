import torch
from torch import nn

torch.manual_seed(0)
PAD, CLS = 0, 1
# Sentences of 4 to 15 words, filled up to 16; those with the word 2 are spam.
tokens = torch.randint(3, 50, (1500, 16))
lengths = torch.randint(5, 16, (1500,))
labels = torch.randint(2, (1500,))
tokens[:, 0] = CLS
tokens[labels == 1, 2] = 2
tokens[torch.arange(16) >= lengths[:, None]] = PAD


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 32, padding_idx=PAD)
        self.attention = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(32, 2)

    def forward(self, tokens):
        mask = tokens == PAD  # True where attention must not look
        return self.head(self.attention(self.embedding(tokens), src_key_padding_mask=mask)[:, 0])


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for epoch in range(6):
    for batch in torch.randperm(1000).split(50):
        loss = nn.functional.cross_entropy(model(tokens[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

with torch.no_grad():
    predicted = model(tokens[1000:]).argmax(1)
print(f"test_error={(predicted != labels[1000:]).float().mean().item():.3f}")
