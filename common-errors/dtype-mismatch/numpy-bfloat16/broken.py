import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(torch.bfloat16)
features = torch.randn(32, 64, dtype=torch.bfloat16)

with torch.inference_mode():
    probabilities = model(features).softmax(dim=1)
array = probabilities.cpu().numpy()  # error
print(f"{array.shape} {array.dtype}")
