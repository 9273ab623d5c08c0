import torch
from PIL import Image
from torch import nn
from torch.nn import functional as F
from torchvision.transforms import functional as TF

torch.manual_seed(0)

# %% a statistic of each row
features = torch.randn(64, 10)
call = lambda: features - features.mean(dim=1)
call()

# %% a mask of another length
attention = torch.randn(2, 8, 20, 20)  # batch, heads, queries, keys
padding = torch.zeros(2, 1, 1, 16, dtype=torch.bool)
call = lambda: attention.masked_fill(padding, float("-inf"))
call()

# %% a longer text than the positional encoding
encoding = nn.Parameter(torch.zeros(1, 50, 32))
words = nn.Embedding(100, 32)
call = lambda: words(torch.randint(100, (4, 64))) + encoding
call()

# %% message: generation beyond the positions
words, pos = nn.Embedding(80, 16), nn.Parameter(torch.zeros(1, 12, 16))
tokens = torch.randint(80, (1, 10))
for step in range(5):
    hidden = words(tokens) + pos[:, : tokens.size(1)]
    tokens = torch.cat([tokens, hidden[:, -1:].argmax(-1)], dim=1)
# %% fixed
words, pos = nn.Embedding(80, 16), nn.Parameter(torch.zeros(1, 12, 16))
tokens = torch.randint(80, (1, 10))
for step in range(5):
    tokens = tokens[:, -12:]
    hidden = words(tokens) + pos[:, : tokens.size(1)]
    tokens = torch.cat([tokens, hidden[:, -1:].argmax(-1)], dim=1)

# %% message: a padding mask for the attention
query = torch.randn(6, 4, 20, 8)  # batch, heads, queries, features
mask = torch.ones(6, 20, dtype=torch.bool)
F.scaled_dot_product_attention(query, query, query, attn_mask=mask)
# %% fixed
query = torch.randn(6, 4, 20, 8)  # batch, heads, queries, features
mask = torch.ones(6, 20, dtype=torch.bool)
F.scaled_dot_product_attention(query, query, query, attn_mask=mask[:, None, None, :])

# %% message: a mask for each sample, without heads
query = torch.randn(6, 4, 20, 8)  # batch, heads, queries, features
mask = torch.ones(6, 20, 20, dtype=torch.bool).tril()
F.scaled_dot_product_attention(query, query, query, attn_mask=mask)
# %% fixed
query = torch.randn(6, 4, 20, 8)  # batch, heads, queries, features
mask = torch.ones(6, 20, 20, dtype=torch.bool).tril()
F.scaled_dot_product_attention(query, query, query, attn_mask=mask[:, None])

# %% message: fewer heads of the key
query, key = torch.randn(3, 8, 10, 4), torch.randn(3, 2, 10, 4)
F.scaled_dot_product_attention(query, key, key)
# %% fixed
query, key = torch.randn(3, 8, 10, 4), torch.randn(3, 2, 10, 4)
key = key.repeat_interleave(4, dim=1)
F.scaled_dot_product_attention(query, key, key)

# %% message: a padding mask of another length, in the attention
query = torch.randn(6, 4, 20, 8)  # batch, heads, queries, features
mask = torch.ones(6, 1, 1, 19, dtype=torch.bool)
F.scaled_dot_product_attention(query, query, query, attn_mask=mask)

# %% a stride in one branch only
branch = nn.Conv2d(8, 8, 3, stride=2, padding=1)
images = torch.randn(2, 8, 56, 56)
call = lambda: images + branch(images)
call()

# %% an odd size, halved and doubled
down, up = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)
images = torch.randn(2, 8, 33, 33)
call = lambda: up(down(images)) + images
call()
# %% fixed
down, up = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)
other = torch.randn(2, 8, 33, 33)
x = up(down(other))
call = lambda: F.interpolate(x, size=other.shape[-2:]) + other
call()

# %% a drawing with transparency
image = Image.new("RGBA", (32, 32))
call = lambda: TF.normalize(TF.to_tensor(image), mean=[0.5, 0.5, 0.5], std=[0.2, 0.2, 0.2])
call()
# %% fixed
image = Image.new("RGBA", (32, 32))
call = lambda: TF.normalize(TF.to_tensor(image.convert("RGB")), mean=[0.5, 0.5, 0.5], std=[0.2, 0.2, 0.2])
call()

# %% more tokens than the model has positions
positions = torch.zeros(1, 512, 16)
call = lambda: torch.randn(2, 600, 16) + positions
call()

# %% a filter that keeps nothing
scores, weights = torch.tensor([0.1, 0.2, 0.3]), torch.ones(3)
call = lambda: scores[scores > 0.5] * weights
call()

# %% message: a weight that is not square, made symmetric
weight = nn.Linear(6, 12).weight
weight.triu() + weight.triu(1).transpose(-1, -2)
# %% fixed
weight = nn.Linear(in_features=6, out_features=6).weight
call = lambda: weight.triu() + weight.triu(1).transpose(-1, -2)
call()

# %% message: weights of another vocabulary, copied one by one
own_state = nn.Embedding(74, 16).state_dict()
for name, param in nn.Embedding(63, 16).state_dict().items():
    own_state[name].copy_(param)

# %% message: a loss of two lengths
F.mse_loss(torch.randn(8, 24), torch.randn(8, 42))

# %% message: on meta
with torch.device("meta"):
    torch.zeros(8, 16, 32, 32) + torch.zeros(8, 16, 28, 28)

# %% message: shapes without tensors
torch.broadcast_shapes((3, 5), (4,))

# %% right: sizes of 1, and matrix products
query, key = torch.randn(2, 4, 10, 8), torch.randn(2, 4, 12, 8)
padding = torch.zeros(2, 1, 1, 12, dtype=torch.bool)
call = lambda: (query @ key.transpose(-2, -1) / 8**0.5).masked_fill(padding, float("-inf")).softmax(-1) @ key
call()

# %% right: a row for each column
features = torch.randn(64, 10)
call = lambda: (features - features.mean(dim=0)) / features.std(dim=0)
call()
