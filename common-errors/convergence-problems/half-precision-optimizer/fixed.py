import torch
from torch import nn

torch.manual_seed(0)
# Ten kinds of cells, 20 measurements each.
centers = torch.randn(10, 20)
labels = torch.randint(10, (2000,))
inputs = centers[labels] + torch.randn(2000, 20)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))  # weights stay in float32
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)

for epoch in range(5):
    for batch in torch.randperm(1600).split(50):
        with torch.autocast("cpu", torch.bfloat16):  # on a GPU also "cuda", torch.float16 and a GradScaler
            loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

with torch.no_grad():
    predicted = model(inputs[1600:]).argmax(1)
print(f"test_error={(predicted != labels[1600:]).float().mean().item():.3f}")
