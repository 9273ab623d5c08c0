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
        self.tokens, self.places = nn.Embedding(len(letters), 64), nn.Embedding(16, 64)
        self.block = nn.TransformerEncoderLayer(64, 2, 128, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(64, len(letters))

    def forward(self, tokens):
        length = tokens.shape[1]
        hidden = self.tokens(tokens) + self.places(torch.arange(length, device=tokens.device))
        # Each position sees itself and those before it.
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=hidden.device)
        return self.head(self.block(hidden, src_mask=mask, is_causal=True))


model = LanguageModel()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
windows = tokens.unfold(0, 17, 1)
for step in range(121):
    batch = windows[torch.randint(len(windows), (16,))]
    inputs, targets = batch[:, :-1], batch[:, 1:]
    loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step={step} loss={loss.item():.3f}")

with torch.no_grad():
    written = tokens[:8]
    for _ in range(40):
        written = torch.cat([written, model(written[None, -8:])[0, -1:].argmax(1)])
    predicted = model(windows[:, :8])[:, -1].argmax(1)
print("written:", "".join(letters[token] for token in written))
print(f"next_letter_error={(predicted != windows[:, 8]).float().mean().item():.3f}")
