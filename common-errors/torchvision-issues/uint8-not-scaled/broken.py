import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

torch.manual_seed(0)
labels = torch.randint(4, (600,))
# Aerial photos of four kinds of fields, height x width x channels, 8 bits, as image readers return them.
fields = torch.rand(4, 16, 16, 3)[labels]
photos = (255 * (0.4 * fields + 0.6 * torch.rand(600, 16, 16, 3))).to(torch.uint8).numpy()

transform = v2.Compose(
    [
        v2.ToImage(),
        v2.ToDtype(torch.float32),  # error
        v2.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]),
    ]
)


class Photos(Dataset):
    def __init__(self, indices):
        self.indices = indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return transform(photos[self.indices[index]]), labels[self.indices[index]]


model = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(784, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for epoch in range(5):
    for batch, target in DataLoader(Photos(range(400)), batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.1f}")

batch, target = next(iter(DataLoader(Photos(range(400, 600)), batch_size=200)))
print(f"any_relu_above_0={(model[:2](batch) > 0).any().item()}")
print(f"test_accuracy={(model(batch).argmax(1) == target).float().mean().item():.3f}")
