import torch
from torch import nn
from torchvision.models import googlenet

torch.manual_seed(0)
model = googlenet(weights=None, num_classes=5, init_weights=False)
images, labels = torch.rand(4, 3, 96, 96), torch.tensor([0, 3, 1, 4])

outputs = model(images)
loss = nn.functional.cross_entropy(outputs, labels)  # error
print(f"loss is finite: {loss.isfinite().item()}")
