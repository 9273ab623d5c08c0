import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
measurements = rng.normal(size=(64, 8))  # NumPy's default is float64

device = torch.device("mps")
model = nn.Linear(8, 2).to(device)
features = torch.from_numpy(measurements).to(device).float()  # error
scores = model(features)
print(f"scores: {tuple(scores.shape)} {scores.dtype}")
