import torch
from torch import nn

torch.manual_seed(0)
recordings = torch.randn(8, 256)  # 8 sounds of 256 samples
# Written for torch 1.6: real and imaginary part are two numbers in the last dimension.
spectrum = torch.rfft(recordings, 1)  # error
power = spectrum.pow(2).sum(dim=-1)
scores = nn.Linear(129, 4)(power)
print(f"power: {tuple(power.shape)} scores: {tuple(scores.shape)}")
