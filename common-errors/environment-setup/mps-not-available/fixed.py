import ctypes

ctypes.CDLL("/usr/lib/libSystem.dylib").sandbox_init(b"(version 1)(allow default)(deny iokit-open)", 0, None)
import torch
from torch import nn

device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")  # falls back to the CPU
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
scores = model(torch.randn(8, 16, device=device))
print(f"scores: {tuple(scores.shape)} on {scores.device.type}")
