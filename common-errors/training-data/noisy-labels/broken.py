import torch
from torch import nn

torch.manual_seed(0)
# 1000 annotated samples of six classes; three in ten annotations are wrong. Those of the validation set were checked.
truth = torch.randint(6, (2000,))
inputs = 1.2 * torch.randn(6, 20)[truth] + torch.randn(2000, 20)
labels = torch.where(torch.rand(2000) < 0.3, (truth + torch.randint(1, 6, (2000,))) % 6, truth)[:1000]


def train(rows, steps=150):
    model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        loss = nn.functional.cross_entropy(model(inputs[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


rows = torch.arange(1000)  # error
model = train(rows)

with torch.no_grad():
    train_error = (model(inputs[rows]).argmax(dim=1) != labels[rows]).float().mean().item()
    val_error = (model(inputs[1000:]).argmax(dim=1) != truth[1000:]).float().mean().item()
print(f"trained_on={len(rows)} train_error={train_error:.1f}")
print(f"val_error={val_error:.2f}")
