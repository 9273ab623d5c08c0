import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
centers = torch.randn(10, 32, device=device)
labels = torch.randint(10, (2000,), device=device)
inputs = centers[labels] + torch.randn(2000, 32, device=device)

model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler(device)


def train_step(batch, targets):
    with torch.autocast(device, dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(batch), targets)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)  # the limit is meant for the gradients themselves
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    return loss.item()


for epoch in range(5):
    for batch in torch.randperm(1600, device=device).split(32):
        loss = train_step(inputs[batch], labels[batch])
    print(f"epoch={epoch} loss={loss:.2f}")
with torch.no_grad():
    print(f"val_error={(model(inputs[1600:]).argmax(1) != labels[1600:]).float().mean().item():.3f}")
