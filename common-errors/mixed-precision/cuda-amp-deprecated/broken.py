import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3)).to(device)
images = torch.randn(8, 20, device=device)

context = torch.cuda.amp.autocast(dtype=torch.bfloat16)  # error
with context:
    logits = model(images)
print(f"logits on the {device}: {logits.dtype}")
