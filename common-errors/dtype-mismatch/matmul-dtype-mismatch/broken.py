import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
table = rng.normal(50, 10, size=(32, 12))  # NumPy computes in float64
table = (table - table.mean(axis=0)) / table.std(axis=0)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
features = torch.from_numpy(table)
predictions = model(features)  # error
print(f"predictions: {tuple(predictions.shape)} {predictions.dtype}")
