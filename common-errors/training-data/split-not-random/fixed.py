import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
# Ten kinds of flowers, as a folder lists the photos: kind by kind.
labels = torch.arange(10).repeat_interleave(100)
images = torch.rand(10, 3, 8, 8)[labels] + 0.3 * torch.randn(1000, 3, 8, 8)
dataset = TensorDataset(images, labels)
train_set, val_set = random_split(dataset, [800, 200])  # both get all kinds
train_labels, val_labels = labels[train_set.indices], labels[val_set.indices]
train_loader = DataLoader(train_set, batch_size=20, shuffle=True)
val_loader = DataLoader(val_set, batch_size=50)

model = nn.Sequential(nn.Flatten(), nn.Linear(192, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
for epoch in range(5):
    for batch, target in train_loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    correct, val_loss = 0, 0.0
    with torch.no_grad():
        for batch, target in val_loader:
            logits = model(batch)
            val_loss += nn.functional.cross_entropy(logits, target).item() / len(val_loader)
            correct += (logits.argmax(1) == target).sum().item()
    print(f"epoch={epoch} loss={loss.item():.1f} val_loss={val_loss:.1f}")
print(f"val_accuracy={correct / len(val_set):.2f}")
