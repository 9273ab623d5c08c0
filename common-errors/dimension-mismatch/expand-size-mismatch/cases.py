import torch
from torch import nn

torch.manual_seed(0)

# %% the last batch is smaller
features = torch.zeros(12, 16)
for start in range(0, 12, 4):
    value = torch.randn(10, 16)[start : start + 4]
    target = features[start : start + 4].shape
    features[start : start + 4] = value

# %% a class token for another width
class_token = nn.Parameter(torch.zeros(1, 1, 192))
patches = torch.randn(8, 196, 384)
value, target, assigned = class_token, (8, 1, 384), False
torch.cat([class_token.expand(len(patches), 1, 384), patches], dim=1)

# %% a norm without keepdim
value = torch.randn(32, 128).norm(dim=1)
target, assigned = (32, 128), False
unit = torch.randn(32, 128) / value.expand(32, 128)

# %% fixed
value = torch.randn(32, 128).norm(dim=1, keepdim=True)
target, assigned = (32, 128), False
unit = torch.randn(32, 128) / value.expand(32, 128)

# %% a slice that starts past the end
history = torch.zeros(100)
target, value = history[100:110].shape, torch.rand(10)
history[100:110] = value

# %% more tokens than positions
token_types = torch.zeros(1, 512, dtype=torch.long)
tokens = torch.randint(30000, (2, 566))
value, target, assigned = token_types, tokens.shape, False
buffered = token_types[:, :566].expand(2, 566)

# %% a column of a model's outputs
scores = torch.zeros(3, 5)
target, value = scores[:, 0].shape, nn.Linear(8, 1)(torch.rand(3, 8)).detach()
scores[:, 0] = value
# %% fixed
x = torch.zeros(3, 5)
target, value = x[:, 0:1].shape, nn.Linear(8, 1)(torch.rand(3, 8)).detach()
x[:, 0:1] = value

# %% all scores of a sample in the place of one
best = torch.zeros(6)
target, value = best[2:4].shape, torch.rand(4, 2)
best[2:4] = value

# %% a history of losses per sample
losses = torch.zeros(10)
target, value = losses[3].shape, nn.functional.mse_loss(torch.rand(4), torch.rand(4), reduction="none")
losses[3] = value

# %% message: a bias of another size
nn.functional.linear(torch.randn(32, 64), torch.randn(10, 64), torch.randn(8))

# %% an unknown size in front
value, target, assigned = torch.arange(4), (-1, 4), False
value.expand(-1, 4)

# %% a dimension of size 1 that expand does not drop
value, target, assigned = torch.rand(1, 16), (16,), False
value.expand(16)
# %% fixed
value, target, assigned = torch.rand(1, 16).squeeze(0), (16,), False
value.expand(16)

# %% a filter that selects nothing
found = torch.rand(5, 16)[torch.zeros(5, dtype=torch.bool)]
features = torch.zeros(4, 16)
target, value = features.shape, found
features[:] = found

# %% the whole tensor for the part that a mask selects
x, y = torch.zeros(6, 3), torch.rand(6, 3)
mask = torch.arange(6) < 2
target, value = x[mask].shape, y
x[mask] = y
# %% fixed
x, y = torch.zeros(6, 3), torch.rand(6, 3)
mask = torch.arange(6) < 2
target, value = x[mask].shape, y[mask]
x[mask] = y[mask]

# %% right: one row for all, and a size that is kept
value, target, assigned = torch.rand(3, 1), (2, -1, 5), False
value.expand(2, -1, 5)

# %% right: a batch of one into a row
features = torch.zeros(4, 16)
target, value = features[2].shape, torch.randn(1, 16)
features[2] = value
