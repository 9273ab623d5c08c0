import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("mps")
encoder = nn.Conv1d(1, 32, kernel_size=7, padding=3).to(device)
waveform = torch.randn(1, 1, 5 * 44100, device=device)  # five seconds of audio
features = encoder(waveform)  # error
print(f"features: {tuple(features.shape)}")
