import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3)).to(device)
images = torch.randn(8, 20, device=device)

# The device is an argument, so the same line also works on a CPU.
context = torch.amp.autocast(device, dtype=torch.bfloat16)
with context:
    logits = model(images)
print(f"logits on the {device}: {logits.dtype}")
