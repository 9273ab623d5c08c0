import torch
from torch import nn

# An Intel GPU, which the builds for CPU and for CUDA have no code for, as the one for CPU has none for an NVIDIA GPU.
device = torch.device("xpu" if torch.xpu.is_available() else "cpu")  # asks the build and the machine first
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
scores = model(torch.randn(8, 16, device=device))
print(f"scores: {tuple(scores.shape)} on {scores.device.type}")
