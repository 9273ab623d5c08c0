import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2

torch.manual_seed(0)
# Traffic signs: turn left, keep left, and their mirror images, turn right and keep right.
to_left = torch.rand(2, 1, 12, 12)
signs = torch.cat([to_left, to_left.flip(-1)])
labels = torch.randint(4, (600,))
images = signs[labels] + 0.3 * torch.randn(600, 1, 12, 12)
augment = v2.RandomErasing(p=0.2, scale=(0.02, 0.1))  # no flip: left and right are classes


class Signs(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 400

    def __getitem__(self, index):
        return self.transform(images[index]), labels[index]


def train(transform):
    model = nn.Sequential(nn.Conv2d(1, 16, 5), nn.ReLU(), nn.Flatten(), nn.Linear(1024, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for epoch in range(8):
        for batch, target in DataLoader(Signs(transform), batch_size=20, shuffle=True):
            loss = nn.functional.cross_entropy(model(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


model = train(augment)
with torch.no_grad():
    loss = nn.functional.cross_entropy(model(images[:400]), labels[:400])
    answers = model(images[400:]).argmax(1)
print(f"loss={loss.item():.1f}")
print(f"val_error={(answers != labels[400:]).float().mean().item():.2f}")
