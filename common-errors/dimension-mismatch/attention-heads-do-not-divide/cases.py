import torch
from torch import nn

# %% seven measured values as features
width, heads = 7, 4
attention = nn.MultiheadAttention(embed_dim=width, num_heads=heads)

# %% positions concatenated to the features
width, heads = 128 + 2, 8
model = nn.Transformer(d_model=width, nhead=heads)

# %% a decoder with the heads of another model size
width, heads = 1024, 12
model = nn.TransformerDecoderLayer(d_model=width, nhead=heads)

# %% no heads, from an integer division
width = 48
heads = width // 64
attention = nn.MultiheadAttention(embed_dim=width, num_heads=heads)

# %% message: more heads than features
attention = nn.MultiheadAttention(embed_dim=1, num_heads=8)

# %% right: one head for a prime number of features
width, heads = 7, 1
attention = nn.MultiheadAttention(embed_dim=width, num_heads=heads)

# %% right: features projected to a width that divides
width, heads = 64, 8
model = nn.Sequential(nn.Linear(7, width), nn.TransformerEncoderLayer(width, heads, batch_first=True))
model(torch.randn(2, 5, 7))
