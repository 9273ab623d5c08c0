import torch
from torch import nn

torch.manual_seed(0)
tokens = torch.randn(2, 6, 16)
padded = torch.arange(6) >= torch.tensor([6, 4])[:, None]

# %% the attention layer itself
attention = nn.MultiheadAttention(16, 2, batch_first=True)
causal = nn.Transformer.generate_square_subsequent_mask(6)
outputs, _ = attention(tokens, tokens, tokens, key_padding_mask=padded, attn_mask=causal)
# %% fixed
attention = nn.MultiheadAttention(16, 2, batch_first=True)
causal = nn.Transformer.generate_square_subsequent_mask(6)
causal = causal == float("-inf")
outputs, _ = attention(tokens, tokens, tokens, key_padding_mask=padded, attn_mask=causal)

# %% a decoder of a translation model
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 2, 32, batch_first=True), num_layers=2)
causal = nn.Transformer.generate_square_subsequent_mask(6)
outputs = decoder(tokens, torch.randn(2, 9, 16), tgt_mask=causal, tgt_key_padding_mask=padded)
# %% fixed
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 2, 32, batch_first=True), num_layers=2)
n = 6
causal = torch.ones(n, n, dtype=torch.bool).triu(diagonal=1)
outputs = decoder(tokens, torch.randn(2, 9, 16), tgt_mask=causal, tgt_key_padding_mask=padded)

# %% the padding mask is the one of floats
model = nn.Transformer(16, 2, 1, 1, 32, batch_first=True)
causal = torch.ones(6, 6, dtype=torch.bool).triu(diagonal=1)
padded = torch.zeros(2, 6).masked_fill(padded, float("-inf"))
outputs = model(tokens, tokens, src_key_padding_mask=padded, tgt_mask=causal, tgt_key_padding_mask=padded)

# %% a single encoder layer
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
causal = torch.full((6, 6), float("-inf")).triu(diagonal=1)
outputs = layer(tokens, src_mask=causal, src_key_padding_mask=padded)

# %% a bias for the distance between two positions
attention = nn.MultiheadAttention(16, 2, batch_first=True)
causal = -(torch.arange(6.0)[:, None] - torch.arange(6.0)).abs()
outputs, _ = attention(tokens, tokens, tokens, key_padding_mask=padded, attn_mask=causal)

# %% right: both are boolean
attention = nn.MultiheadAttention(16, 2, batch_first=True)
causal = torch.ones(6, 6, dtype=torch.bool).triu(diagonal=1)
outputs, _ = attention(tokens, tokens, tokens, key_padding_mask=padded, attn_mask=causal)

# %% right: both are floats
attention = nn.MultiheadAttention(16, 2, batch_first=True)
causal = nn.Transformer.generate_square_subsequent_mask(6)
padded = torch.zeros(2, 6).masked_fill(padded, float("-inf"))
outputs, _ = attention(tokens, tokens, tokens, key_padding_mask=padded, attn_mask=causal)
