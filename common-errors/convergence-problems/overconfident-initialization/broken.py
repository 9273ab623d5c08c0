import math

import torch
from torch import nn

torch.manual_seed(0)
VOCABULARY, WIDTH = 500, 128


class NextWord(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.body = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, words):
        features = self.words(words)
        features = self.norm(features + self.body(features))
        return features @ self.words.weight.T  # error


follows = torch.randperm(VOCABULARY)  # the word that follows each word
model = NextWord()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(100):
    words = torch.randint(VOCABULARY, (256,))
    loss = nn.functional.cross_entropy(model(words), follows[words])
    if step % 10 == 0:
        print(f"step={step} loss={loss.item():.2f}")
    if step == 0:
        times_chance = loss.item() / math.log(VOCABULARY)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

print(f"times_chance={times_chance:.2f}")
