import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

torch.manual_seed(0)
patterns = torch.rand(10, 1, 12, 12)
labels = torch.randint(10, (1500,))
images = (patterns[labels] + 0.4 * torch.randn(1500, 1, 12, 12)).clamp(0, 1)
normalize = v2.Normalize([0.5], [0.3], inplace=True)


class Cached(Dataset):
    """Images that are kept in memory."""

    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        return normalize(image), self.labels[index]  # error


val_inputs = (images[1000:] - 0.5) / 0.3
dataset = Cached(images[:1000], labels[:1000])
loader = DataLoader(dataset, batch_size=50, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(200, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

for epoch in range(8):
    for batch, target in loader:
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        wrong = (model(val_inputs).argmax(1) != labels[1000:]).float().mean().item()
    print(f"epoch={epoch} largest_input={batch.abs().max().item():.3g} val_error={wrong:.1f}")
print(f"last_val_error={wrong:.1f}")
