import ctypes

# As in a sandbox that hides the GPU; an older macOS has the same effect.
ctypes.CDLL("/usr/lib/libSystem.dylib").sandbox_init(b"(version 1)(allow default)(deny iokit-open)", 0, None)
import torch
from torch import nn

device = torch.device("mps")
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)  # error
scores = model(torch.randn(8, 16, device=device))
print(f"scores: {tuple(scores.shape)} on {scores.device.type}")
