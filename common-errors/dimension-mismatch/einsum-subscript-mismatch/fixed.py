import torch
from torch import nn

torch.manual_seed(0)
length, heads, width = 10, 4, 64
tokens = torch.randn(8, length, width)
to_queries, to_keys = nn.Linear(width, width), nn.Linear(width, width)

queries = to_queries(tokens).view(8, length, heads, width // heads).transpose(1, 2)
keys = to_keys(tokens).view(8, length, heads, width // heads)
# The keys are not transposed: their heads (h) come after the positions (k).
equation = "bhqd,bkhd->bhqk"
scores = torch.einsum(equation, queries, keys)
print(f"queries: {tuple(queries.shape)} keys: {tuple(keys.shape)} scores: {tuple(scores.shape)}")
