import torch
from torch import nn

# %% a series with one value per step
model = nn.LSTM(1, 8, batch_first=True)
batch = torch.randn(32, 25)
model(batch)
# %% fixed
model = nn.LSTM(1, 8, batch_first=True)
x = torch.randn(32, 25)
batch = x.unsqueeze(-1)
model(batch)

# %% embeddings of another size than the GRU was created for
model = nn.Sequential(nn.Embedding(1000, 300), nn.GRU(128, 64, batch_first=True))
batch = torch.randint(1000, (8, 20))
model(batch)
# %% fixed
model = nn.Sequential(nn.Embedding(1000, 300), nn.GRU(input_size=300, hidden_size=64, batch_first=True))
batch = torch.randint(1000, (8, 20))
model(batch)

# %% the layer before is bidirectional
model = nn.ModuleList([nn.LSTM(16, 32, batch_first=True, bidirectional=True), nn.LSTM(32, 32, batch_first=True)])
model.forward = lambda batch: model[1](model[0](batch)[0])
batch = torch.randn(4, 10, 16)
model(batch)
# %% fixed
model = nn.ModuleList([nn.LSTM(16, 32, batch_first=True, bidirectional=True), nn.LSTM(input_size=64, hidden_size=32, batch_first=True)])
model.forward = lambda batch: model[1](model[0](batch)[0])
batch = torch.randn(4, 10, 16)
model(batch)

# %% a table of which one column is left
model = nn.RNN(7, 16, batch_first=True)
weather = torch.randn(5, 48, 7)
batch = weather[:, :, 3:4]
model(batch)
# %% fixed
model = nn.RNN(input_size=1, hidden_size=16, batch_first=True)
weather = torch.randn(5, 48, 7)
batch = weather[:, :, 3:4]
model(batch)

# %% a spectrogram with its frequencies before its time
model = nn.LSTM(80, 128, batch_first=True)
batch = torch.randn(2, 80, 311)
model(batch)
# %% fixed
model = nn.LSTM(80, 128, batch_first=True)
x = torch.randn(2, 80, 311)
batch = x.transpose(1, 2)
model(batch)

# %% message: no column is left
weather = torch.randn(5, 48, 7)
nn.GRU(7, 16, batch_first=True)(weather[:, :, 7:])

# %% message: a cell
cell = nn.LSTMCell(64, 128)
hidden, memory = cell(torch.randn(16, 50))
# %% fixed
cell = nn.LSTMCell(input_size=50, hidden_size=128)
hidden, memory = cell(torch.randn(16, 50))

# %% right: as many time steps as nothing else, features last
model = nn.LSTM(6, 8, batch_first=True)
batch = torch.randn(16, 100, 6)
model(batch)

# %% right: packed sequences
model = nn.GRU(6, 8)
batch = nn.utils.rnn.pack_sequence([torch.randn(5, 6), torch.randn(3, 6)])
model(batch)
