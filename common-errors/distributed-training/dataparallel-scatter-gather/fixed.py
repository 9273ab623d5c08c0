import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(16, 32, batch_first=True)

    def forward(self, words, lengths):
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        # All copies pad to the length of the input, not to the longest text of their own part.
        states, _ = pad_packed_sequence(self.encoder(packed)[0], batch_first=True, total_length=words.shape[1])
        return states


torch.manual_seed(0)
# Two copies on one GPU behave as copies on GPUs 0 and 1.
model = nn.DataParallel(Tagger().cuda(), device_ids=[0, 0])
words, lengths = torch.randn(4, 9, 16, device="cuda"), torch.tensor([9, 7, 5, 4])
states = model(words, lengths)
print(f"states: {tuple(states.shape)}")
