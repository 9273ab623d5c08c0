import os

os.environ["ONEAPI_DEVICE_SELECTOR"] = "opencl:cpu"  # as on a machine without an Intel GPU or without its driver
import torch
from torch import nn

device = torch.device("xpu")
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)  # error
scores = model(torch.randn(8, 16, device=device))
print(f"scores: {tuple(scores.shape)} on {scores.device.type}")
