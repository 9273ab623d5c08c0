import torch
from torch import nn

torch.manual_seed(0)
PAD = 0
# Word n is followed by word 3n or 5n (mod 41). Sentences of 4 to 9 words, filled up to 40.
sentences = torch.randint(1, 41, (1200, 1))
for _ in range(39):
    factor = torch.where(torch.rand(1200) < 0.7, 3, 5)
    sentences = torch.cat([sentences, (sentences[:, -1] * factor % 41)[:, None]], 1)
sentences[torch.arange(40) >= torch.randint(4, 10, (1200, 1))] = PAD

model = nn.Sequential(nn.Embedding(41, 32, padding_idx=PAD), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 41))
criterion = nn.CrossEntropyLoss()  # error
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

for epoch in range(10):
    for batch in sentences[:1000].split(100):
        words, following = batch[:, :-1], batch[:, 1:]
        loss = criterion(model(words).flatten(0, 1), following.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

words, following = sentences[1000:, :-1], sentences[1000:, 1:]
real = following != PAD
with torch.no_grad():
    logits = model(words)
    test_loss = criterion(logits.flatten(0, 1), following.flatten())
    loss_of_words = nn.functional.cross_entropy(logits[real], following[real])
word_error = (logits.argmax(2) != following)[real].float().mean()
print(f"word_error={word_error.item():.2f} test_loss={test_loss.item():.3f} loss_of_words={loss_of_words.item():.3f}")
print(f"understated={(loss_of_words / test_loss).item():.2f}")
