import torch
from torch import nn

torch.manual_seed(0)
waveforms = torch.randn(4, 1024)
classifier = nn.Linear(513, 5)

spectrum = torch.fft.rfft(waveforms)
features = spectrum.float()  # error
logits = classifier(features)
kept = (features.square().sum() / spectrum.abs().square().sum()).item()
print(f"share of the energy in the features: {kept:.1f}")
