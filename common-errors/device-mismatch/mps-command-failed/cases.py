# fewer: which sizes fail depends on the versions of macOS and PyTorch; failed assertions end the process
import torch
from torch import nn

device = torch.device("mps")

# %% a decoder of audio
layer, value = nn.ConvTranspose1d(8, 8, 16, stride=8).to(device), torch.randn(1, 8, 40_000, device=device)
layer(value)
# %% fixed
layer, value = nn.ConvTranspose1d(8, 8, 16, stride=8), torch.randn(1, 8, 40_000, device="cpu")
layer(value)

# %% anchors of a detector
layer, value = nn.Conv2d(16, 1, 1).to(device), torch.randn(1, 16, 4, 70_000, device=device)
layer(value)

# %% right: a short waveform
layer, value = nn.Conv1d(1, 32, 7).to(device), torch.randn(1, 1, 16_000, device=device)
layer(value)
