import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(64, nhead=4, dim_feedforward=128, norm_first=True, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=2)  # error
tokens = torch.randn(2, 10, 64)
padded = torch.arange(10) >= torch.tensor([10, 7])[:, None]  # the second sentence has 7 tokens

outputs = model(tokens, src_key_padding_mask=padded)
print(f"use_nested_tensor={model.use_nested_tensor} outputs={tuple(outputs.shape)}")
