import torch
from torch import nn

# CPU and CUDA builds lack XPU (Intel GPUs), just as a CPU build lacks CUDA: the same check fails everywhere.
device = torch.device("xpu" if torch.xpu.is_available() else "cpu")  # checks the build and the machine first
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
scores = model(torch.randn(8, 16, device=device))
print(f"scores: {tuple(scores.shape)} on {scores.device.type}")
