import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
patterns = torch.randn(10, 1, 8, 8)
labels = torch.randint(10, (2000,))
images = patterns[labels] + torch.randn(2000, 1, 8, 8)
train_loader = DataLoader(TensorDataset(images[:1500], labels[:1500]), batch_size=50, shuffle=True)
val_loader = DataLoader(TensorDataset(images[1500:], labels[1500:]), batch_size=50)  # in the order of `labels`

model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for batch, target in train_loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.1f}")

with torch.no_grad():
    predicted = torch.cat([model(batch).argmax(1) for batch, _ in val_loader])
true_labels = labels[1500:]
print(f"val_accuracy={(predicted == true_labels).float().mean().item():.1f}")
