from torch import nn
from torchvision.models import resnet18

model = resnet18()
head = "classifier"  # as in VGG
in_features = getattr(model, head).in_features  # error
setattr(model, head, nn.Linear(in_features, 5))
print(f"out_features: {getattr(model, head).out_features}")
