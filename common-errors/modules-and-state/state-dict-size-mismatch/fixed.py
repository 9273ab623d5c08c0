import torch
from torch import nn


class ImageClassifier(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(16, num_classes)

    def forward(self, images):
        features = self.pool(torch.relu(self.conv(images)))
        return self.fc(features.flatten(1))


torch.manual_seed(0)
# Stands in for a downloaded checkpoint that was trained on 1000 classes.
checkpoint = ImageClassifier(num_classes=1000).state_dict()

model = ImageClassifier(num_classes=10)
# Everything but the layer for 1000 classes; what is missing must be the new last layer, and nothing else.
checkpoint = {name: weight for name, weight in checkpoint.items() if not name.startswith("fc.")}
missing = model.load_state_dict(checkpoint, strict=False).missing_keys
print(f"untrained: {missing}")
print(f"logits: {tuple(model(torch.randn(4, 3, 32, 32)).shape)}")
