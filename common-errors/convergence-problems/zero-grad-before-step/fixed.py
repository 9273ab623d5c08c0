import torch
from torch import nn

torch.manual_seed(0)
# Four kinds of cells, 20 measurements each.
centers = torch.randn(4, 20)
labels = torch.randint(4, (1000,))
inputs = centers[labels] + torch.randn(1000, 20)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def train_step(batch):
    loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
    optimizer.zero_grad()  # before backward(), whose gradients step() needs
    loss.backward()
    optimizer.step()
    return loss.item()


for epoch in range(5):
    losses = [train_step(batch) for batch in torch.randperm(1000).split(50)]
    print(f"epoch={epoch} loss={sum(losses) / len(losses):.3f}")

with torch.no_grad():
    predicted = model(inputs).argmax(1)
print(f"train_error={(predicted != labels).float().mean().item():.4f}")
