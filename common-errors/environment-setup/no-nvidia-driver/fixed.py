import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as in a job or a container that was given no GPU
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # falls back to the CPU
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
scores = model(torch.randn(8, 16, device=device))
print(f"scores: {tuple(scores.shape)} on {scores.device.type}")
