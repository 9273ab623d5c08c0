import torch
from torch import nn

# %% the batch size is written into the view
model = nn.Linear(784, 10)
x, shape = torch.randn(40, 1, 28, 28), (64, 784)
model(x.view(shape))
# %% fixed
model = nn.Linear(784, 10)
x, shape = torch.randn(40, 1, 28, 28), (-1, 784)
model(x.flatten(1))

# %% the last batch is smaller
model = nn.Linear(784, 10)
x, shape = torch.randn(40, 1, 28, 28), (48, 784)
model(x.view(shape))
# %% fixed
model = nn.Linear(784, 10)
x, shape = torch.randn(40, 1, 28, 28), (-1, 784)
model(x.flatten(1))

# %% features of another image size
model = nn.Linear(256, 10)
x, shape = torch.randn(70, 15, 4, 4), (70, 256)
model(x.view(shape))
# %% fixed
model = nn.Linear(in_features=240, out_features=10)
x, shape = torch.randn(70, 15, 4, 4), (70, 240)
model(x.flatten(1))

# %% a grid for another batch size
x, shape = torch.randn(30, 64), (28, 8, 8)
grid = x.view(shape)

# %% key-value heads that are fewer than those of the queries
x, shape = nn.Linear(512, 2 * 64)(torch.randn(8, 50, 512)), (8, 50, 8, 64)
key = x.view(shape)

# %% features that do not divide what there is
x, shape = torch.randn(70, 240), (-1, 144, 40)
blocks = x.reshape(shape)

# %% text that does not fill the last block
x, shape = torch.arange(1000), (-1, 64)
blocks = x.view(shape)

# %% a filter left no sample
images = torch.randn(32, 3, 8, 8)
x, shape = images[images.mean((1, 2, 3)) > 9], (32, 192)
features = x.view(shape)

# %% message: one sample instead of a batch
image = torch.randn(3, 32, 32)
features = image.view(4, 3072)
# %% fixed
image = torch.randn(3, 32, 32)
x = image.unsqueeze(0)
features = x.flatten(1)

# %% message: patches of another image size
patches = torch.randn(2, 3, 225, 225).reshape(2, 3, 14, 16, 14, 16)

# %% message: a padding mask in the place of the attention mask
encoder = nn.TransformerEncoderLayer(16, 2, batch_first=True).eval()
with torch.inference_mode():
    encoder(torch.randn(4, 6, 16), src_mask=torch.zeros(4, 6, dtype=torch.bool))
# %% fixed
encoder = nn.TransformerEncoderLayer(16, 2, batch_first=True).eval()
with torch.inference_mode():
    encoder(torch.randn(4, 6, 16), src_key_padding_mask=torch.zeros(4, 6, dtype=torch.bool))

# %% message: a weight of another model
weight = torch.randn(1536 * 1536).reshape(5120, 5120)

# %% message: unflatten
heads = torch.randn(8, 50, 512).unflatten(2, (6, 85))

# %% right: minus one leaves the rest to PyTorch
x, shape = torch.randn(40, 1, 28, 28), (-1, 784)
features = x.view(shape)

# %% right: heads that multiply to the width
x, shape = torch.randn(8, 50, 512), (8, 50, 8, 64)
heads = x.view(shape)
