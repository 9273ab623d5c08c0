import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(torch.bfloat16)
features = torch.randn(32, 64, dtype=torch.bfloat16)

with torch.inference_mode():
    probabilities = model(features).softmax(dim=1)
probabilities = probabilities.float()  # NumPy has no bfloat16; float32 represents every bfloat16 value
array = probabilities.cpu().numpy()
print(f"{array.shape} {array.dtype}")
