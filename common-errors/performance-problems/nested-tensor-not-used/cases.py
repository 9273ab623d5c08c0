import torch
from torch import nn

torch.manual_seed(0)

# %% the input is time first
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32), num_layers=2)
outputs = model(torch.randn(10, 4, 16))
# %% fixed
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32), num_layers=2, enable_nested_tensor=False)
outputs = model(torch.randn(10, 4, 16))

# %% three heads
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(24, 3, 48, batch_first=True), num_layers=1)
# %% fixed
layer = nn.TransformerEncoderLayer(24, 3, 48, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False)

# %% a complete transformer
model = nn.Transformer(16, 2, 1, 1, 32)
# %% fixed
model = nn.Transformer(16, 2, 1, 1, 32, batch_first=True)

# %% another activation
layer = nn.TransformerEncoderLayer(16, 2, 32, activation=nn.functional.silu, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=2)

# %% without bias
layer = nn.TransformerEncoderLayer(16, 2, 32, bias=False, batch_first=True)
model = nn.Sequential(nn.Linear(8, 16), nn.TransformerEncoder(layer, num_layers=2))


# %% a layer of one's own
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(16, 2, batch_first=True)

    def forward(self, x, **masks):
        return x + self.self_attn(x, x, x)[0]


model = nn.TransformerEncoder(Block(), num_layers=2)

# %% message: a padded batch in inference
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), num_layers=1).eval()
with torch.no_grad():
    outputs = model(torch.randn(2, 6, 16), src_key_padding_mask=torch.arange(6) >= torch.tensor([[6], [4]]))
# %% fixed
layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False).eval()
with torch.no_grad():
    outputs = model(torch.randn(2, 6, 16), src_key_padding_mask=torch.arange(6) >= torch.tensor([[6], [4]]))

# %% right: an encoder that can use it
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), num_layers=1)

# %% right: a layer alone
model = nn.TransformerEncoderLayer(24, 3, 48)
