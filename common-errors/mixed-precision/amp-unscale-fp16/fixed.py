import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
backbone = nn.Sequential(nn.Linear(512, 256), nn.ReLU())  # pretrained and frozen
head = nn.Linear(256, 10)
model = nn.Sequential(backbone, head).to(device).half()  # saves half of the memory
backbone.requires_grad_(False)
# The optimizer updates the head, so it is float32; the frozen backbone can stay float16.
head.float()

optimizer = torch.optim.AdamW(head.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler(device)
features, labels = torch.randn(32, 512, device=device), torch.randint(10, (32,), device=device)

with torch.autocast(device, dtype=torch.float16):
    loss = nn.functional.cross_entropy(model(features), labels)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
print(f"loss: {loss.item():.2f} head: {head.weight.dtype} backbone: {backbone[0].weight.dtype}")
