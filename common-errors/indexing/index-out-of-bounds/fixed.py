import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(1000, 16, padding_idx=0)
rnn = nn.GRU(16, 32, batch_first=True)
classifier = nn.Linear(32, 2)

# Three reviews of 12, 7 and 4 tokens, padded to the longest.
lengths = torch.tensor([12, 7, 4])
tokens = torch.randint(1, 1000, (3, 12))
tokens[torch.arange(12) >= lengths.unsqueeze(1)] = 0

outputs, _ = rnn(embedding(tokens))
# Indices start at 0, so the last of 12 steps is step 11.
last_step = lengths - 1
last = outputs[torch.arange(len(tokens)), last_step]
logits = classifier(last)
print(f"outputs: {tuple(outputs.shape)} last: {tuple(last.shape)} logits: {tuple(logits.shape)}")
