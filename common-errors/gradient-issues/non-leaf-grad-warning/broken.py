import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 30 * 30, 10))

# Which pixels does the predicted class depend on?
photo = torch.rand(3, 32, 32, requires_grad=True)
image = photo.unsqueeze(0)  # the model expects a batch
model(image).max().backward()
saliency = image.grad  # error
print("saliency:", None if saliency is None else tuple(saliency.shape))
