from torch import nn
from torchvision.models import resnet18

model = resnet18()
# The head of a ResNet is called "fc"; print(model) shows the names.
in_features = model.fc.in_features
model.fc = nn.Linear(in_features, 5)
print(f"out_features: {model.fc.out_features}")
