import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler(device)
flowers, species = torch.randn(96, 20, device=device), torch.arange(96, device=device) % 3

for step, (batch, labels) in enumerate(zip(flowers.split(32), species.split(32))):
    with torch.autocast(device, dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(batch), labels)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()  # ends the step, so that the next one may check and update again
    print(f"step={step} loss={loss.item():.3f} scale={scaler.get_scale():.0f}")
