import torch
from torch import nn


class SmallUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv2d(3, 32, kernel_size=3, padding=1)
        self.down = nn.MaxPool2d(2)
        self.middle = nn.Conv2d(32, 32, kernel_size=3, padding=1)
        self.up = nn.ConvTranspose2d(32, 32, kernel_size=2, stride=2)
        self.head = nn.Conv2d(64, 2, kernel_size=1)

    def forward(self, images):
        skip = torch.relu(self.encoder(images))
        features = torch.relu(self.middle(self.down(skip)))
        # Pooling halves 75 to 37, and doubling gives 74, so ask for the size of the skip connection.
        features = self.up(features, output_size=skip.shape[-2:])
        return self.head(torch.cat([skip, features], dim=1))


torch.manual_seed(0)
model = SmallUNet()
images = torch.rand(4, 3, 75, 100)
masks = model(images)
print(f"masks: {tuple(masks.shape)}")
