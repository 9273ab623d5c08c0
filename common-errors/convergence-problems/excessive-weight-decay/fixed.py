import torch
from torch import nn

torch.manual_seed(0)
# Customers with 12 traits in six segments, each around a profile of its own.
labels = torch.randint(6, (2000,))
traits = torch.randn(6, 12)[labels] + 0.4 * torch.randn(2000, 12)

hidden = [layer for _ in range(3) for layer in (nn.Linear(64, 64), nn.ReLU())]
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), *hidden, nn.Linear(64, 6))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.003, weight_decay=0.1)  # decays by lr * 0.1 a step

for epoch in range(6):
    for rows in torch.randperm(1600).split(40):
        batch, target = traits[rows], labels[rows]
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.2f}")

with torch.no_grad():
    accuracy = (model(traits[1600:]).argmax(dim=1) == labels[1600:]).float().mean().item()
print(f"accuracy={accuracy:.4f}")
