import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% features of two encoders, joined without dim
image_features, text_features = torch.randn(32, 512), torch.randn(32, 300)
call, dims = lambda: torch.cat([image_features, text_features]), {1}
call()
# %% fixed
image_features, text_features = torch.randn(32, 512), torch.randn(32, 300)
call, dims = lambda: torch.cat([image_features, text_features], dim=1), {1}
call()

# %% an odd width in a U-Net
up = nn.Sequential(nn.ConvTranspose2d(16, 16, 2, stride=2), nn.ReLU())
skip = torch.rand(2, 16, 64, 51)
call, dims = lambda: torch.cat((up(F.max_pool2d(skip, 2)), skip), dim=-3), {1}
call()
# %% fixed
up = nn.Sequential(nn.ConvTranspose2d(16, 16, 2, stride=2), nn.ReLU())
skip = torch.rand(2, 16, 64, 51)
x = up(F.max_pool2d(skip, 2))
call, dims = lambda: torch.cat((F.interpolate(x, size=skip.shape[-2:]), skip), dim=-3), {1}
call()

# %% a skip connection of another stage
deep, skip = torch.rand(2, 64, 8, 8), torch.rand(2, 32, 16, 16)
call, dims = lambda: torch.concat([deep, skip], dim=1), {1}
call()
# %% fixed
x, skip = torch.rand(2, 64, 8, 8), torch.rand(2, 32, 16, 16)
call, dims = lambda: torch.concat([F.interpolate(x, size=skip.shape[-2:]), skip], dim=1), {1}
call()

# %% embeddings of another width in a sequence
prompt, words = torch.randn(4, 5, 192), torch.randn(4, 20, 256)
call, dims = lambda: torch.cat([prompt, words], dim=1), {1}
call()

# %% predictions of batches that were padded apart
batches = [torch.randn(8, 17), torch.randn(8, 17), torch.randn(8, 23)]
call, dims = lambda: torch.cat(batches), {0}
call()
# %% fixed
batches = [torch.randn(8, 17), torch.randn(8, 17), torch.randn(8, 23)]
call, dims = lambda: torch.cat([F.pad(batch, (0, 23 - batch.shape[1])) for batch in batches], dim=0), {0}
call()

# %% a column without its dimension
features, age = torch.randn(32, 128), torch.randn(32)
call, dims = lambda: torch.cat([features, age], dim=1), {1}
call()

# %% losses of several batches
losses = [torch.tensor(0.7), torch.tensor(0.5)]
call, dims = lambda: torch.cat(losses), {0}
call()

# %% message: a smaller last batch, side by side
torch.hstack([torch.randn(32, 4), torch.randn(7, 4)])

# %% message: on meta
with torch.device("meta"):
    torch.cat([torch.rand(4, 32, 75, 100), torch.rand(4, 32, 74, 100)], dim=1)

# %% message: on meta, with a dimension too many
with torch.device("meta"):
    torch.cat([torch.rand(4, 8), torch.rand(4, 8, 1)], dim=1)

# %% right: a cache of keys that grows
cache, key = torch.randn(2, 8, 10, 64), torch.randn(2, 8, 1, 64)
call, dims = lambda: torch.cat([cache, key], dim=2), {2}
call()

# %% right: an empty list of boxes to start with
boxes = torch.tensor([])
call, dims = lambda: torch.cat([boxes, torch.rand(3, 4), torch.rand(5, 4)]), {0}
call()
