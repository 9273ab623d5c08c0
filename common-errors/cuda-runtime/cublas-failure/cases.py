# fewer: with an index out of range CUDA prints the check before the exception, and explain answers that; the rest needs a full GPU
import torch
from torch import nn

# %% right: the last row of the table
model = nn.Sequential(nn.Embedding(100, 32), nn.Linear(32, 2))
tokens = torch.tensor([[0, 99]])
print(model(tokens).sum().item())

# %% right: ids from a tokenizer with the added tokens, and a table with rows for them
model = nn.Sequential(nn.Embedding(102, 32), nn.Linear(32, 2))
tokens = torch.tensor([[0, 100], [101, 7]])
print(model(tokens).sum().item())
