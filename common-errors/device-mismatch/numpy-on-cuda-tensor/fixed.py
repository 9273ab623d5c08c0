import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
device = "cuda"
model = nn.Linear(16, 3).to(device).eval()
labels = np.arange(64) % 3

predictions = []
with torch.inference_mode():
    for features in torch.randn(4, 16, 16):
        predictions.append(model(features.to(device)).argmax(dim=1))

predictions = torch.cat(predictions).cpu()  # joined on the GPU, copied to the CPU once
predicted = predictions.numpy()
print(f"accuracy={(predicted == labels).mean():.2f}")
