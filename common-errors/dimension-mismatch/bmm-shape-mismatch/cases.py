import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% heads without a transpose
queries, keys = torch.randn(2, 4, 10, 16), torch.randn(2, 4, 49, 16)
call = lambda: queries @ keys
call()
# %% fixed
queries, keys = torch.randn(2, 4, 10, 16), torch.randn(2, 4, 49, 16)
call = lambda: queries @ keys.transpose(-2, -1)
call()

# %% text and image features of different widths
text, image = torch.randn(2, 10, 1280), torch.randn(2, 49, 640)
call = lambda: F.scaled_dot_product_attention(text[:, None], image[:, None], image[:, None])
call()
# %% fixed
text, image = torch.randn(2, 10, 1280), nn.Linear(640, 1280)(torch.randn(2, 49, 640))
call = lambda: text @ image.transpose(-2, -1)
call()

# %% one matrix for all samples
features, references = torch.randn(6, 10, 64), torch.randn(1, 64, 5)
call = lambda: torch.bmm(features, references)
call()

# %% fixed
features, references = torch.randn(6, 10, 64), torch.randn(1, 64, 5)
call = lambda: features @ references
call()

# %% the state of a GRU
outputs, hidden = nn.GRU(32, 64, batch_first=True)(torch.randn(8, 20, 32))
call = lambda: torch.bmm(hidden, outputs.transpose(1, 2))
call()
# %% fixed
outputs, hidden = nn.GRU(32, 64, batch_first=True)(torch.randn(8, 20, 32))
call = lambda: torch.bmm(hidden.transpose(0, 1), outputs.transpose(1, 2))
call()

# %% a smaller last batch
weights, values = torch.rand(32, 1, 20), torch.randn(7, 20, 64)
call = lambda: torch.bmm(weights, values)
call()

# %% an adjacency matrix with sequences first
adjacency, nodes = torch.rand(4, 9, 9), torch.randn(9, 4, 16)
call = lambda: torch.baddbmm(torch.zeros(4, 9, 16), adjacency, nodes)
call()

# %% right: batch sizes that broadcast
features, references = torch.randn(6, 10, 64), torch.randn(64, 5)
call = lambda: features @ references
call()

# %% right: as many keys as queries
queries, keys = torch.randn(2, 10, 64), torch.randn(2, 10, 64)
call = lambda: torch.bmm(queries, keys.transpose(1, 2)) @ keys
call()
