import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split
from torchvision.transforms import v2

torch.manual_seed(0)
patterns = torch.rand(8, 1, 16, 16)
labels = torch.randint(8, (360,))
images = patterns[labels] + 0.8 * torch.randn(360, 1, 16, 16)


class Photos(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return len(images)

    def __getitem__(self, index):
        return self.transform(images[index]), labels[index]


augment = v2.RandomErasing(p=0.9, scale=(0.78, 0.9), ratio=(1, 1))
train_set, val_set = random_split(Photos(augment), [200, 160])  # error
train_loader = DataLoader(train_set, batch_size=10, shuffle=True)
val_loader = DataLoader(val_set, batch_size=160)

model = nn.Sequential(nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=0.002)


def evaluate():
    with torch.no_grad():
        return sum((model(batch).argmax(1) != target).sum().item() for batch, target in val_loader) / len(val_set)


for epoch in range(8):
    for batch, target in train_loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    error = evaluate()
    print(f"epoch={epoch} error={error:.1f}")
print("same weights, five times:", [round(evaluate(), 1) for _ in range(5)])
print(f"val_error={error:.1f}")
