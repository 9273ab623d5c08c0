import torch
from torch import nn

torch.manual_seed(0)
decoder = nn.Linear(16, 50)
hidden = torch.randn(8, 12, 16)  # batch, time, features
softmax = nn.Softmax()

logits = decoder(hidden)
probabilities = softmax(logits)  # error
sums = probabilities.sum(dim=-1)
print(f"the probabilities of a token sum to {sums.min().item():.1f} ... {sums.max().item():.1f}")
