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
        self.pool = nn.AvgPool2d(7)  # images of 224 pixels leave a map of 7 x 7
        self.fc = nn.Linear(128, 10)

    def forward(self, images):
        features = self.features(images)
        return self.fc(self.pool(features).flatten(1))  # error


torch.manual_seed(0)
model = SmallResNet()
images = torch.rand(8, 3, 160, 160)  # smaller images, to train faster
logits = model(images)
print(f"logits: {tuple(logits.shape)}")
