import torch
from torch import nn

torch.manual_seed(0)
# 300 = 6 * 50: six heads with 50 features each.
width, heads = 300, 6
embedding = nn.Embedding(5000, width)
encoder = nn.TransformerEncoderLayer(d_model=width, nhead=heads, batch_first=True)

tokens = torch.randint(5000, (4, 20))
encoded = encoder(embedding(tokens))
print(f"encoded: {tuple(encoded.shape)} features per head: {width // heads}")
