import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence

torch.manual_seed(0)


class Encoder(nn.Module):
    """Passes a state of its own to its network."""

    def __init__(self, network, state):
        super().__init__()
        self.network, self.state = network, state

    def forward(self, inputs):
        return self.network(inputs, hx=self.state)[0]


# %% a bidirectional GRU whose state has one direction
model = Encoder(nn.GRU(4, 8, 2, bidirectional=True), torch.zeros(2, 5, 8))
batch = torch.randn(7, 5, 4)
model(batch)

# %% message: both directions of the encoder are joined
_, state = nn.GRU(4, 256, bidirectional=True)(torch.randn(7, 5, 4))
joined = torch.cat([state[0], state[1]], dim=-1)[None]
nn.GRU(4, 256)(torch.randn(3, 5, 4), joined)
# %% fixed
_, state = nn.GRU(4, 256, bidirectional=True)(torch.randn(7, 5, 4))
joined = torch.cat([state[0], state[1]], dim=-1)[None]
nn.GRU(4, hidden_size=512)(torch.randn(3, 5, 4), joined)

# %% message: a filter left no samples
kept = torch.randn(5, 7, 4)[torch.zeros(5, dtype=torch.bool)]
nn.GRU(4, 8, batch_first=True)(kept, torch.zeros(1, 5, 8))

# %% a decoder that is wider than its encoder
model = Encoder(nn.GRU(4, 128, batch_first=True), torch.zeros(1, 5, 96))
batch = torch.randn(5, 7, 4)
model(batch)

# %% the state has the batch first
model = Encoder(nn.LSTM(4, 8, 2, batch_first=True), (torch.zeros(5, 2, 8), torch.zeros(5, 2, 8)))
batch = torch.randn(5, 7, 4)
model(batch)

# %% a single text after training with 16
model = Encoder(nn.RNN(4, 8, batch_first=True), torch.zeros(1, 16, 8))
batch = torch.randn(1, 30, 4)
model(batch)

# %% the state has the size of the cells, and proj_size is smaller
model = Encoder(nn.LSTM(4, 8, 2, batch_first=True, proj_size=3), (torch.zeros(2, 5, 8), torch.zeros(2, 5, 8)))
batch = torch.randn(5, 7, 4)
model(batch)

# %% packed sequences, and a state without layers
model = Encoder(nn.GRU(4, 8), torch.zeros(2, 8))
batch = pack_sequence([torch.randn(5, 4), torch.randn(3, 4)])
model(batch)

# %% message: layers and batch differ
nn.GRU(4, 8, 2)(torch.randn(7, 5, 4), torch.zeros(1, 7, 8))

# %% message: a state without layers
network, inputs = nn.GRU(4, 8, batch_first=True), torch.randn(5, 7, 4)
state = torch.zeros(5, 8)
network(inputs, state)
# %% fixed
network, inputs = nn.GRU(4, 8, batch_first=True), torch.randn(5, 7, 4)
state = torch.zeros(5, 8)
network(inputs, state.unsqueeze(0))

# %% message: one sequence, and a state for a batch
network, inputs = nn.LSTM(4, 8), torch.randn(7, 4)
state = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))
network(inputs, state)
# %% fixed
network, inputs = nn.LSTM(4, 8), torch.randn(7, 4)
state = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))
network(inputs.unsqueeze(1), state)

# %% message: a GRU with the pair of states of an LSTM
gru, x = nn.GRU(4, 8, batch_first=True), torch.randn(5, 7, 4)
state = torch.zeros(1, 5, 8), torch.zeros(1, 5, 8)
outputs, state = gru(x, state)
# %% fixed
gru, x = nn.GRU(4, 8, batch_first=True), torch.randn(5, 7, 4)
h = torch.zeros(1, 5, 8)
outputs, h = gru(x, h)
outputs, h = gru(x, h)

# %% message: a cell, and a smaller last batch
cell, inputs = nn.GRUCell(4, 8), torch.randn(3, 4)
cell(inputs, torch.zeros(16, 8))
# %% fixed
cell, inputs = nn.GRUCell(4, 8), torch.randn(3, 4)
cell(inputs, torch.zeros(inputs.size(0), 8))

# %% message: a cell, and a state of one sample
cell, inputs = nn.LSTMCell(4, 8), torch.randn(3, 4)
cell(inputs, (torch.zeros(1, 8), torch.zeros(1, 8)))
# %% fixed
cell, inputs = nn.LSTMCell(4, 8), torch.randn(3, 4)
h, c = torch.zeros(inputs.size(0), 8), torch.zeros(inputs.size(0), 8)
cell(inputs, (h, c))

# %% message: a cell of another width
cell, inputs = nn.RNNCell(4, 8), torch.randn(3, 4)
cell(inputs, torch.zeros(3, 6))
# %% fixed
cell, inputs = nn.RNNCell(4, 8), torch.randn(3, 4)
cell(inputs, torch.zeros(3, cell.hidden_size))

# %% message: an LSTM cell with one state
cell, inputs = nn.LSTMCell(4, 8), torch.randn(3, 4)
h = torch.zeros(3, 8)
cell(inputs, h)
# %% fixed
cell, inputs = nn.LSTMCell(4, 8), torch.randn(3, 4)
h, c = torch.zeros(3, 8), torch.zeros(3, 8)
h, c = cell(inputs, (h, c))

# %% message: a state with a dimension for layers, in a cell
cell = nn.GRUCell(4, 8)
hidden = torch.zeros(1, 5, 8)
cell(torch.randn(5, 4), hidden)
# %% fixed
cell = nn.GRUCell(4, 8)
hidden = torch.zeros(1, 5, 8)
cell(torch.randn(5, 4), hidden[0])

# %% right: two directions, with proj_size
model = Encoder(nn.LSTM(4, 8, bidirectional=True, proj_size=3), (torch.zeros(2, 5, 3), torch.zeros(2, 5, 8)))
batch = torch.randn(7, 5, 4)
model(batch)

# %% right: no state
model = Encoder(nn.GRU(4, 8), None)
batch = torch.randn(7, 5, 4)
model(batch)

# %% right: packed sequences
model = Encoder(nn.GRU(4, 8), torch.zeros(1, 2, 8))
batch = pack_sequence([torch.randn(5, 4), torch.randn(3, 4)])
model(batch)
