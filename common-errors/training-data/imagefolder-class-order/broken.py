import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, utils
from torchvision.transforms import v2

torch.manual_seed(0)
folder = tempfile.TemporaryDirectory()
root = Path(folder.name)
fruits = {
    name: torch.rand(3, 1, 1) * torch.rand(3, 12, 12)
    for name in ("apple", "banana", "cherry", "grape", "lemon", "mango")
}
for split, count, names in (("train", 30, list(fruits)), ("val", 20, ["apple", "cherry", "grape", "lemon", "mango"])):
    for name in names:  # nobody has photographed a banana for the validation
        (root / split / name).mkdir(parents=True)
        for number in range(count):
            utils.save_image(fruits[name] + 0.05 * torch.randn(3, 12, 12), root / split / name / f"{number}.png")

prepare = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])
train_set = datasets.ImageFolder(root / "train", prepare)
val_set = datasets.ImageFolder(root / "val", prepare)  # error
train_loader = DataLoader(train_set, batch_size=20, shuffle=True)
val_loader = DataLoader(val_set, batch_size=50)

model = nn.Sequential(nn.Flatten(), nn.Linear(432, 32), nn.ReLU(), nn.Linear(32, len(train_set.classes)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
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
