import torch
from torch import nn

# %% a smaller image than the layer was built for
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 16 * 16, 5))
batch = torch.randn(4, 3, 32, 32)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(in_features=1800, out_features=5))
batch = torch.randn(4, 3, 32, 32)
model(batch)

# %% images that were never flattened
model = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
batch = torch.randn(32, 1, 28, 28)
model(batch)
# %% fixed
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
batch = torch.randn(32, 1, 28, 28)
model(batch)

# %% message: one image without a batch dimension
images = torch.rand(50, 28, 28)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
model(images[7])
# %% fixed
x = torch.rand(50, 28, 28)[7]
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
model(x.unsqueeze(0))

# %% a bidirectional LSTM
model = nn.ModuleDict({"lstm": nn.LSTM(16, 64, batch_first=True, bidirectional=True), "head": nn.Linear(64, 5)})
model.forward = lambda tokens: model["head"](model["lstm"](tokens)[0])
batch = torch.randn(8, 20, 16)
model(batch)
# %% fixed
model = nn.ModuleDict({"lstm": nn.LSTM(16, 64, batch_first=True, bidirectional=True)})
model["head"] = nn.Linear(in_features=128, out_features=5)
model.forward = lambda tokens: model["head"](model["lstm"](tokens)[0])
batch = torch.randn(8, 20, 16)
model(batch)

# %% features in the first dimension
model = nn.Linear(12, 3)
batch = torch.randn(12, 100)
model(batch)
# %% fixed
model = nn.Linear(12, 3)
x = torch.randn(12, 100)
batch = x.T
model(batch)

# %% a single feature
model = nn.Linear(7, 1)
batch = torch.randn(5, 1)
model(batch)
# %% fixed
model = nn.Linear(in_features=1, out_features=1)
batch = torch.randn(5, 1)
model(batch)

# %% message: a matrix product without a layer
queries, keys = torch.randn(6, 64), torch.randn(10, 64)
scores = queries @ keys
# %% fixed
a, b = torch.randn(6, 64), torch.randn(10, 64)
scores = a @ b.T

# %% message: as many keys as queries, of the same length
queries, keys = torch.randn(10, 64), torch.randn(10, 64)
scores = queries @ keys
# %% fixed
a, b = torch.randn(10, 64), torch.randn(10, 64)
scores = a @ b.T

# %% message: more keys than features
queries, keys = torch.randn(6, 64), torch.randn(128, 64)
scores = queries @ keys
# %% fixed
a, b = torch.randn(6, 64), torch.randn(128, 64)
scores = a @ b.T

# %% the batch was flattened, too
model = nn.Linear(16 * 6 * 6, 10)
batch = torch.randn(32, 16, 6, 6).flatten()
model(batch)
# %% fixed
model = nn.Linear(16 * 6 * 6, 10)
x = torch.randn(32, 16, 6, 6)
batch = x.flatten(1)
model(batch)

# %% a regression on one number, all samples in one row
model = nn.Linear(1, 1)
batch = torch.linspace(0, 1, 20)
model(batch)
# %% fixed
model = nn.Linear(1, 1)
x = torch.linspace(0, 1, 20)
batch = x.reshape(-1, 1)
model(batch)

# %% message: features that are not the d_model of a transformer
layer = nn.TransformerEncoderLayer(d_model=64, nhead=4, batch_first=True)
layer(torch.randn(8, 10, 32))
# %% fixed
layer = nn.TransformerEncoderLayer(d_model=64, nhead=4, batch_first=True)
layer(nn.Linear(32, 64)(torch.randn(8, 10, 32)))

# %% message: tokens of another width
nn.Linear(768, 10)(torch.randn(2, 196, 384))
# %% fixed
nn.Linear(in_features=384, out_features=10)(torch.randn(2, 196, 384))

# %% a selection that keeps no column
model = nn.Linear(6, 3)
batch = torch.randn(4, 6)[:, 6:]
model(batch)

# %% right: three dimensions, of which only the last is that of the layer
model = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.Linear(32, 4))
batch = torch.randn(8, 20, 16)
model(batch)
