import torch
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, kernel_size=5)
        self.conv2 = nn.Conv2d(6, 16, kernel_size=5)
        self.pool = nn.MaxPool2d(2)
        # Written for 32x32 images, which the convolutions and pooling reduce to 5x5.
        self.fc = nn.Linear(16 * 5 * 5, 10)

    def forward(self, images):
        features = self.pool(torch.relu(self.conv1(images)))
        features = self.pool(torch.relu(self.conv2(features)))
        features = features.view(-1, 16 * 5 * 5)
        return self.fc(features)


torch.manual_seed(0)
model = LeNet()
images, labels = torch.randn(100, 1, 28, 28), torch.randint(10, (100,))
loss = nn.functional.cross_entropy(model(images), labels)  # error
print(f"loss={loss.item():.4f}")
