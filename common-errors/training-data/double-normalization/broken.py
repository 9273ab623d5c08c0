import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

torch.manual_seed(0)
labels = torch.randint(4, (600,))
# Photos of four patterns of tiles, 8 bits a channel, with noise.
tiles = torch.rand(4, 3, 16, 16)[labels]
photos = (255 * (0.4 * tiles + 0.6 * torch.rand(600, 3, 16, 16))).to(torch.uint8)
to_float = v2.ToDtype(torch.float32, scale=True)
normalize = v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


class Photos(Dataset):
    def __init__(self, indices):
        self.indices = indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return to_float(photos[self.indices[index]]), labels[self.indices[index]]


def prepare(images):
    return normalize(images / 255)  # error


model = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(784, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
for epoch in range(6):
    for images, target in DataLoader(Photos(range(400)), batch_size=20, shuffle=True):
        batch = prepare(images)
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

correct = 0
with torch.no_grad():
    for images, target in DataLoader(Photos(range(400, 600)), batch_size=50):
        correct += (model(prepare(images)).argmax(1) == target).sum().item()
print(f"test_accuracy={correct / 200:.3f}")
