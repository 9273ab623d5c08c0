import os

os.environ["ONEAPI_DEVICE_SELECTOR"] = "opencl:cpu"
import torch
from torch import nn

device = torch.device("xpu" if torch.xpu.is_available() else "cpu")  # falls back to the CPU
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
scores = model(torch.randn(8, 16, device=device))
print(f"scores: {tuple(scores.shape)} on {scores.device.type}")
