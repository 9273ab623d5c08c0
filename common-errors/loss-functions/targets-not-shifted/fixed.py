import torch
from torch import nn

torch.manual_seed(0)
times = "it was the best of times, it was the worst of times, "
text = (times + "it was the age of wisdom, it was the age of foolishness, ") * 20
letters = sorted(set(text))
tokens = torch.tensor([letters.index(letter) for letter in text])


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(letters), 32)
        self.rnn = nn.LSTM(32, 64, batch_first=True)
        self.head = nn.Linear(64, len(letters))

    def forward(self, tokens):
        return self.head(self.rnn(self.embed(tokens))[0])


model = LanguageModel()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(81):
    starts = torch.randint(len(tokens) - 40, (16,))
    batch = torch.stack([tokens[start : start + 40] for start in starts])
    # Moved by one: the target of each letter is the letter after it.
    targets = torch.stack([tokens[start + 1 : start + 41] for start in starts])
    loss = nn.functional.cross_entropy(model(batch).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step={step} loss={loss.item():.3f}")

written = tokens[:20]
for _ in range(40):
    written = torch.cat([written, model(written[None])[0, -1:].argmax(1)])
print("written:", "".join(letters[token] for token in written))
predicted = model(tokens[None, :-1])[0].argmax(1)
print(f"next_letter_accuracy={(predicted == tokens[1:]).float().mean().item():.3f}")
