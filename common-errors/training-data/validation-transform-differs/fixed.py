import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

torch.manual_seed(0)
# Photos of leaves of four ages, from dark to light, 8 bits a channel.
labels = torch.randint(4, (600,))
shades = 0.2 + 0.15 * labels + 0.03 * torch.randn(600)
photos = (255 * (shades[:, None, None, None] + 0.15 * torch.randn(600, 3, 16, 16)).clamp(0, 1)).to(torch.uint8)

to_float = v2.ToDtype(torch.float32, scale=True)
normalize = v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
train_transform = v2.Compose([v2.RandomHorizontalFlip(), to_float, normalize])
val_transform = v2.Compose([to_float, normalize])  # as in training, without what is random


class Photos(Dataset):
    def __init__(self, indices, transform):
        self.indices, self.transform = indices, transform

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return self.transform(photos[self.indices[index]]), labels[self.indices[index]]


train_loader = DataLoader(Photos(range(400), train_transform), batch_size=20, shuffle=True)
val_loader = DataLoader(Photos(range(400, 600), val_transform), batch_size=50)
model = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(784, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for epoch in range(5):
    for batch, target in train_loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    correct = 0
    with torch.no_grad():
        for val_batch, target in val_loader:
            correct += (model(val_batch).argmax(1) == target).sum().item()
    print(f"epoch={epoch} loss={loss.item():.1f} accuracy={correct / 200:.1f}")
print(f"val_accuracy={correct / 200:.3f}")
