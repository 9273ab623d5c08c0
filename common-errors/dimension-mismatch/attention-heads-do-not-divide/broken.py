import torch
from torch import nn

torch.manual_seed(0)
# Word vectors with 300 dimensions, and the number of heads of the paper.
width, heads = 300, 8
embedding = nn.Embedding(5000, width)
encoder = nn.TransformerEncoderLayer(d_model=width, nhead=heads, batch_first=True)  # error

tokens = torch.randint(5000, (4, 20))
encoded = encoder(embedding(tokens))
print(f"encoded: {tuple(encoded.shape)} features per head: {width // heads}")
