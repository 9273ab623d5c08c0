import torch
from torch import nn

# %% a speed forecast with a GRU in both directions
model = nn.GRU(6, 32, dropout=0.2, bidirectional=True)
outputs, _ = model(torch.randn(24, 4, 6))
# %% fixed
model = nn.Sequential(nn.GRU(6, 32, num_layers=2, dropout=0.2, bidirectional=True))
outputs, _ = model(torch.randn(24, 4, 6))

# %% a plain RNN, all by position
model = nn.RNN(8, 16, 1, "relu", True, True, 0.5)
outputs, _ = model(torch.randn(4, 10, 8))

# %% the settings come from a configuration
config = {"hidden_size": 64, "num_layers": 1, "dropout": 0.1}
model = nn.Module()
model.encoder = nn.LSTM(32, **config)
# %% fixed
config = {"hidden_size": 64, "num_layers": 1, "dropout": 0.0}
model = nn.Module()
model.encoder = nn.LSTM(32, **config)

# %% a decoder of a translation model
model = nn.ModuleDict({
    "encoder": nn.LSTM(32, 64, num_layers=2, dropout=0.3),
    "decoder": nn.LSTM(32, 64, dropout=0.3),
    "out": nn.Linear(64, 500),
})
# %% fixed
model = nn.ModuleDict({
    "encoder": nn.LSTM(32, 64, num_layers=2, dropout=0.3),
    "decoder": nn.LSTM(32, 64),
    "dropout": nn.Dropout(0.3),
    "out": nn.Linear(64, 500),
})

# %% with a projection
model = nn.LSTM(13, 64, proj_size=20, dropout=0.25, batch_first=True)
outputs, _ = model(torch.randn(4, 10, 13))

# %% right: two layers
model = nn.LSTM(13, 64, num_layers=2, dropout=0.25)
outputs, _ = model(torch.randn(10, 4, 13))

# %% right: a convolution with dropout
model = nn.Sequential(nn.Conv1d(4, 8, 3), nn.ReLU(), nn.Dropout(0.3))
outputs = model(torch.randn(2, 4, 12))
