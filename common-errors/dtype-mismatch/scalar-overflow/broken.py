import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(64, 3 * 64).half()
tokens = torch.randn(2, 10, 64).half()
padded = torch.arange(10) >= torch.tensor([10, 7])[:, None]  # the second sentence has 7 tokens

queries, keys, values = layer(tokens).chunk(3, dim=-1)
scores = queries @ keys.transpose(1, 2) / 64**0.5
lowest = -1e9
masked = scores.masked_fill(padded[:, None, :], lowest)  # error
weights = masked.softmax(dim=-1)
print(f"weight on the padding: {weights[1, :, 7:].sum().item()}")
