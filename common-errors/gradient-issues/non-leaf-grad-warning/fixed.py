import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 30 * 30, 10))

# Which pixels does the predicted class depend on?
photo = torch.rand(3, 32, 32)
image = photo.unsqueeze(0).requires_grad_()  # last, so that image is the leaf
model(image).max().backward()
saliency = image.grad
print("saliency:", None if saliency is None else tuple(saliency.shape))
