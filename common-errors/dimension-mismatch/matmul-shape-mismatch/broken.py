import torch
from torch import nn


class DigitClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 16, kernel_size=5)
        self.pool = nn.MaxPool2d(2)
        # Pooling halves the 28x28 images to 14x14, or so it seems.
        self.fc = nn.Linear(16 * 14 * 14, 10)

    def forward(self, images):
        features = self.pool(torch.relu(self.conv(images)))
        return self.fc(features.flatten(1))  # error


model = DigitClassifier()
images = torch.randn(32, 1, 28, 28)
scores = model(images)
print(f"scores: {tuple(scores.shape)}")
