import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
patterns = torch.randn(10, 1, 12, 12)
labels = torch.arange(10).repeat_interleave(200)  # class by class, as ImageFolder lists its folders
images = patterns[labels] + 1.5 * torch.randn(2000, 1, 12, 12)
val_labels = torch.randint(10, (500,))
val_images = patterns[val_labels] + 1.5 * torch.randn(500, 1, 12, 12)

loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)  # every batch has all classes
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(200, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

for epoch in range(4):
    total = 0.0
    for batch, target in loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        predicted = model(val_images).argmax(1)
    print(f"epoch={epoch} loss={total / len(loader):.1f} classes_predicted={predicted.unique().numel()}")
print(f"val_accuracy={(predicted == val_labels).float().mean().item():.2f}")
