import torch
from torch import nn

torch.manual_seed(0)
recordings = torch.randn(8, 256)  # 8 sounds of 256 samples
# torch.fft.rfft replaces it and returns complex numbers; view_as_real makes two numbers of each, as before.
spectrum = torch.view_as_real(torch.fft.rfft(recordings))
power = spectrum.pow(2).sum(dim=-1)
scores = nn.Linear(129, 4)(power)
print(f"power: {tuple(power.shape)} scores: {tuple(scores.shape)}")
