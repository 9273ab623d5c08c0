import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("mps")
encoder = nn.Conv1d(1, 32, kernel_size=7, padding=3).to(device)
waveform = torch.randn(1, 1, 5 * 44100, device=device)  # five seconds of audio
# This one layer on the CPU, which has no such limit. A newer PyTorch or macOS does not need this.
features = encoder.cpu()(waveform.cpu()).to(device)
print(f"features: {tuple(features.shape)}")
