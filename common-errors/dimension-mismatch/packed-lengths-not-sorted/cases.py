import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence

torch.manual_seed(0)

# %% lengths as a list, time first
x, lengths = torch.randn(30, 4, 8), [12, 30, 7, 21]
line = lambda: pack_padded_sequence(x, lengths)
line()
# %% fixed
x, lengths = torch.randn(30, 4, 8), [12, 30, 7, 21]
line = lambda: pack_padded_sequence(x, lengths, enforce_sorted=False)
line()

# %% a list of sequences, shortest first
sequences = [torch.randn(3, 8), torch.randn(5, 8)]
line = lambda: pack_sequence(sequences)
line()
# %% fixed
sequences = [torch.randn(3, 8), torch.randn(5, 8)]
line = lambda: pack_sequence(sequences, enforce_sorted=False)
line()

# %% sorted by the wrong order
x, lengths = torch.randn(4, 30, 8), torch.tensor([12, 30, 7, 21]).sort().values
line = lambda: pack_padded_sequence(x, lengths, batch_first=True)
line()

# %% message: an empty review
pack_padded_sequence(torch.randn(2, 9, 8), torch.tensor([9, 0]), batch_first=True)

# %% message: batch_first was forgotten
pack_padded_sequence(torch.randn(4, 30, 8), torch.tensor([30, 21, 12, 7]))
# %% fixed
pack_padded_sequence(torch.randn(4, 30, 8), torch.tensor([30, 21, 12, 7]), batch_first=True)

# %% message: a batch without samples
pack_padded_sequence(torch.randn(0, 9, 8), torch.tensor([], dtype=torch.long), batch_first=True)

# %% right: equal lengths are in order
x, lengths = torch.randn(4, 9, 8), [9, 9, 9, 9]
line = lambda: pack_padded_sequence(x, lengths, batch_first=True)
line()

# %% right: in random order, and PyTorch sorts
x, lengths = torch.randn(4, 30, 8), [12, 30, 7, 21]
line = lambda: pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
line()
