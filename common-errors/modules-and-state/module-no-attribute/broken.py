from torch import nn
from torchvision.models import resnet18

model = resnet18()
# Fine-tuning code for VGG: its last block is called "classifier".
in_features = model.classifier.in_features  # error
model.classifier = nn.Linear(in_features, 5)
print(f"out_features: {model.classifier.out_features}")
