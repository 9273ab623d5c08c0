import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(64, nhead=4, dim_feedforward=128, dropout=0.0, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=2)
tokens = torch.randn(2, 10, 64)
padded = torch.arange(10) >= torch.tensor([10, 7])[:, None]  # the second sentence has 7 tokens

causal = nn.Transformer.generate_square_subsequent_mask(10)
outputs = model(tokens, mask=causal, src_key_padding_mask=padded)  # error
print(f"causal: {causal.dtype}, padded: {padded.dtype}, outputs: {tuple(outputs.shape)}")
