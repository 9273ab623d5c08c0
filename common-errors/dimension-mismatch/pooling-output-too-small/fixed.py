import torch
from torch import nn


class SmallResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 64, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(64, 64, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(64, 128, kernel_size=3, stride=2, padding=1),
            nn.ReLU(),
        )
        # Averages the whole map, whatever its size: 7 x 7 for 224 pixels, 5 x 5 for 160.
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(128, 10)

    def forward(self, images):
        features = self.features(images)
        return self.fc(self.pool(features).flatten(1))


torch.manual_seed(0)
model = SmallResNet()
images = torch.rand(8, 3, 160, 160)  # smaller images, to train faster
logits = model(images)
print(f"logits: {tuple(logits.shape)}")
