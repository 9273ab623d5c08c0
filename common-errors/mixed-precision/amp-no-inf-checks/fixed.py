import torch
from torch import nn
from torchvision.models import resnet18

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = resnet18(num_classes=100).to(device).requires_grad_(False)
model.fc = nn.Linear(512, 10, device=device)  # ten classes instead of a hundred
# After the head is replaced, so that the optimizer holds the parameters that get gradients.
optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1)  # train only the head
scaler = torch.amp.GradScaler(device)
images, labels = torch.rand(16, 3, 32, 32, device=device), torch.arange(16, device=device) % 10

losses = []
for step in range(4):
    with torch.autocast(device, dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())
    print(f"step={step} loss={loss.item():.3f}")
print(f"loss_drop={losses[0] - losses[-1]:.3f}")
