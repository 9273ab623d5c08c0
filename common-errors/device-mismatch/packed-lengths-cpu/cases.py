# The meta device takes the place of a GPU, which this needs: it fails the same check.
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(0)

# %% lengths counted from a mask on the device
mask = torch.ones(4, 9, dtype=torch.bool, device="meta")
lengths = mask.sum(dim=1)
packed = pack_padded_sequence(torch.randn(4, 9, 8), lengths, batch_first=True)
# %% fixed
mask = torch.ones(4, 9, dtype=torch.bool)
lengths = mask.sum(dim=1)
packed = pack_padded_sequence(torch.randn(4, 9, 8), lengths.cpu(), batch_first=True)

# %% in random order, and PyTorch is to sort
sequences, lengths = torch.randn(9, 3, 8, device="meta"), torch.tensor([4, 9, 2], device="meta")
packed = pack_padded_sequence(sequences, lengths, enforce_sorted=False)

# %% a default device
with torch.device("meta"):
    lengths = torch.tensor([6, 5, 5])
    packed = pack_padded_sequence(nn.Embedding(50, 4)(torch.ones(3, 6, dtype=torch.long)), lengths, batch_first=True)

# %% lengths collated as a column
sequences, lengths = torch.randn(3, 6, 4), torch.tensor([[6], [5], [2]])
packed = pack_padded_sequence(sequences, lengths, batch_first=True)
# %% fixed
sequences, lengths = torch.randn(3, 6, 4), torch.tensor([[6], [5], [2]])
lengths = lengths.flatten()
packed = pack_padded_sequence(sequences, lengths, batch_first=True)

# %% one length for a batch of one
sequences, lengths = torch.randn(1, 6, 4), torch.tensor(6)
packed = pack_padded_sequence(sequences, lengths, batch_first=True)

# %% fixed
sequences, lengths = torch.randn(1, 6, 4), torch.tensor(6)
lengths = lengths.flatten()
packed = pack_padded_sequence(sequences, lengths, batch_first=True)

# %% a column on the device
sequences, lengths = torch.randn(2, 6, 4), torch.tensor([[6], [5]], device="meta")
packed = pack_padded_sequence(sequences, lengths, batch_first=True)
# %% fixed
sequences, lengths = torch.randn(2, 6, 4), torch.tensor([[6], [5]])
lengths = lengths.flatten().cpu()
packed = pack_padded_sequence(sequences, lengths, batch_first=True)

# %% a column, and PyTorch is to sort
sequences, lengths = torch.randn(3, 6, 4), torch.tensor([[2], [5], [6]])
packed = pack_padded_sequence(sequences, lengths, batch_first=True, enforce_sorted=False)
# %% fixed
sequences, lengths = torch.randn(3, 6, 4), torch.tensor([[2], [5], [6]])
lengths = lengths.flatten()
packed = pack_padded_sequence(sequences, lengths, batch_first=True, enforce_sorted=False)

# %% right: a list of numbers, sequences on the device
lengths = [9, 9, 4]
packed = pack_padded_sequence(torch.randn(3, 9, 8, device="meta"), lengths, batch_first=True)

# %% right: int32 lengths on the CPU
lengths = torch.tensor([9, 9, 4], dtype=torch.int32)
packed = pack_padded_sequence(torch.randn(3, 9, 8), lengths, batch_first=True)
