import torch
import torchvision
from torch import nn

torch.manual_seed(0)
resnet = torchvision.models.resnet18(num_classes=10)

# the convolutional part, without the classifier at the end
layers = list(resnet.children())  # the submodules in order
backbone = nn.Sequential(*layers[:-1])
features = backbone(torch.rand(2, 3, 64, 64)).flatten(1)
print(f"features={tuple(features.shape)}")
