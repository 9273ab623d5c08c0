import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% words are the first dimension, and the layer reads sentences
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True)
words = torch.randn(20, 8, 32)  # words, sentences, features
causal = nn.Transformer.generate_square_subsequent_mask(20)
call = lambda: model(words, src_mask=causal)
call()

# %% a padding mask in place of an attention mask
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, batch_first=True), num_layers=2)
padded = torch.tensor([[5, 9, 2, 7, 0, 0], [3, 8, 0, 0, 0, 0]])
call = lambda: model(torch.randn(2, 6, 32), mask=padded == 0)
call()

# %% the mask of the target for the memory
model = nn.TransformerDecoder(nn.TransformerDecoderLayer(32, 4, batch_first=True), num_layers=1)
causal = nn.Transformer.generate_square_subsequent_mask(5)
call = lambda: model(torch.randn(2, 5, 32), torch.randn(2, 7, 32), tgt_mask=causal, memory_mask=causal)
call()

# %% keys by queries
model = nn.MultiheadAttention(32, 4, batch_first=True)
text, image = torch.randn(2, 5, 32), torch.randn(2, 9, 32)
mask = torch.zeros(9, 5, dtype=torch.bool)
call = lambda: model(text, image, image, attn_mask=mask)
call()
# %% fixed
model = nn.MultiheadAttention(32, 4, batch_first=True)
text, image = torch.randn(2, 5, 32), torch.randn(2, 9, 32)
mask = torch.zeros(9, 5, dtype=torch.bool)
call = lambda: model(text, image, image, attn_mask=mask.T)
call()

# %% one mask in three dimensions
model = nn.MultiheadAttention(32, 4, batch_first=True)
frames = torch.randn(2, 6, 32)
mask = torch.ones(1, 6, 6, dtype=torch.bool).triu(1)
call = lambda: model(frames, frames, frames, attn_mask=mask)
call()
# %% fixed
model = nn.MultiheadAttention(32, 4, batch_first=True)
frames = torch.randn(2, 6, 32)
mask = torch.ones(1, 6, 6, dtype=torch.bool).triu(1)
call = lambda: model(frames, frames, frames, attn_mask=mask[0])
call()

# %% a mask for each sample
model = nn.MultiheadAttention(32, 4, batch_first=True)
frames = torch.randn(2, 6, 32)
mask = torch.ones(2, 6, 6, dtype=torch.bool).triu(1)
call = lambda: model(frames, frames, frames, attn_mask=mask)
call()
# %% fixed
model = nn.MultiheadAttention(32, 4, batch_first=True)
frames = torch.randn(2, 6, 32)
mask = torch.ones(2, 6, 6, dtype=torch.bool).triu(1)
call = lambda: model(frames, frames, frames, attn_mask=mask.repeat_interleave(4, dim=0))
call()

# %% masks of a longer sequence
model = nn.MultiheadAttention(32, 4, batch_first=True)
frames = torch.randn(2, 6, 32)
mask = torch.zeros(8, 10, 10)
call = lambda: model(frames, frames, frames, attn_mask=mask)
call()

# %% a mask for scaled_dot_product_attention
model = nn.MultiheadAttention(32, 4, batch_first=True)
frames = torch.randn(2, 6, 32)
mask = torch.zeros(2, 1, 6, 6, dtype=torch.bool)
call = lambda: model(frames, frames, frames, attn_mask=mask)
call()

# %% lengths that are padded as one row
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True)
frames = torch.randn(2, 6, 32)
call = lambda: model(frames, src_key_padding_mask=torch.arange(6) >= 4)
call()

# %% a batch that was squeezed
model = nn.MultiheadAttention(32, 4, batch_first=True)
frames = torch.randn(1, 6, 32).squeeze()
call = lambda: model(frames, frames, frames, key_padding_mask=torch.zeros(1, 6, dtype=torch.bool))
call()

# %% masks of a batch for an input without one
model = nn.MultiheadAttention(32, 4)
frames = torch.randn(6, 32)
call = lambda: model(frames, frames, frames, attn_mask=torch.zeros(8, 6, 6))
call()

# %% a transposed padding mask
model = nn.TransformerEncoderLayer(32, nhead=4)
frames = torch.randn(6, 2, 32)
call = lambda: model(frames, src_key_padding_mask=torch.zeros(6, 2, dtype=torch.bool))
call()

# %% a class token that the padding mask lacks
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True)
words = torch.cat([torch.zeros(2, 1, 32), torch.randn(2, 6, 32)], dim=1)
padding = torch.zeros(2, 6, dtype=torch.bool)
call = lambda: model(words, src_key_padding_mask=padding)
call()
# %% fixed
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True)
words = torch.cat([torch.zeros(2, 1, 32), torch.randn(2, 6, 32)], dim=1)
mask = torch.zeros(2, 6, dtype=torch.bool)
call = lambda: model(words, src_key_padding_mask=F.pad(mask, (1, 0)))
call()

# %% the padding of the target for the memory
model = nn.TransformerDecoderLayer(32, nhead=4, batch_first=True)
padding = torch.zeros(2, 5, dtype=torch.bool)
call = lambda: model(torch.randn(2, 5, 32), torch.randn(2, 9, 32), memory_key_padding_mask=padding)
call()

# %% in evaluation mode
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True).eval()
call = lambda: model(torch.randn(2, 6, 32), src_key_padding_mask=torch.zeros(2, 5, dtype=torch.bool))
with torch.inference_mode():
    call()

# %% an encoder in evaluation mode
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, batch_first=True), num_layers=2).eval()
call = lambda: model(torch.randn(2, 6, 32), src_key_padding_mask=torch.zeros(6, 2, dtype=torch.bool))
with torch.inference_mode():
    call()

# %% one query and the keys of a cache
model = nn.MultiheadAttention(32, 4, batch_first=True)
words = torch.randn(2, 6, 32)
mask = nn.Transformer.generate_square_subsequent_mask(6)
call = lambda: model(words[:, -1:], words, words, attn_mask=mask)
call()
# %% fixed
model = nn.MultiheadAttention(32, 4, batch_first=True)
words = torch.randn(2, 6, 32)
mask = nn.Transformer.generate_square_subsequent_mask(6)
call = lambda: model(words[:, -1:], words, words, attn_mask=mask[-1:])
call()

# %% one padding mask for all samples
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True)
mask = torch.arange(6).expand(1, 6) > 3
call = lambda: model(torch.randn(2, 6, 32), src_key_padding_mask=mask)
call()
# %% fixed
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True)
mask = torch.arange(6).expand(1, 6) > 3
call = lambda: model(torch.randn(2, 6, 32), src_key_padding_mask=mask.expand(2, -1))
call()

# %% a target without its last token, and its whole padding mask
model = nn.Transformer(32, 4, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
target, mask = torch.randn(2, 8, 32), torch.zeros(2, 8, dtype=torch.bool)
call = lambda: model(torch.randn(2, 9, 32), target[:, :-1], tgt_key_padding_mask=mask)
call()
# %% fixed
model = nn.Transformer(32, 4, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
target, mask = torch.randn(2, 8, 32), torch.zeros(2, 8, dtype=torch.bool)
call = lambda: model(torch.randn(2, 9, 32), target[:, :-1], tgt_key_padding_mask=mask[:, :-1])
call()

# %% right: a causal mask for longer sequences, which is not used
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, batch_first=True), num_layers=1)
mask = nn.Transformer.generate_square_subsequent_mask(50)
call = lambda: model(torch.randn(2, 20, 32), mask=mask, is_causal=True)
call()

# %% right: cross-attention, 5 queries and 7 keys
model = nn.MultiheadAttention(32, 4)
mask = torch.zeros(5, 7, dtype=torch.bool)
call = lambda: model(torch.randn(5, 2, 32), torch.randn(7, 2, 32), torch.randn(7, 2, 32), attn_mask=mask)
call()

# %% right: a mask for each head, and padding
model = nn.TransformerEncoderLayer(32, nhead=4, batch_first=True)
masks, padding = torch.zeros(8, 5, 5, dtype=torch.bool), torch.zeros(2, 5, dtype=torch.bool)
call = lambda: model(torch.randn(2, 5, 32), src_mask=masks, src_key_padding_mask=padding)
call()
