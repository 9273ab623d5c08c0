import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(3, 16, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(16, 1, kernel_size=3, stride=2, padding=1),
)
images = torch.rand(4, 3, 64, 64)
masks = (images.mean(dim=1, keepdim=True) > 0.5).float()  # 4 x 1 x 64 x 64
size = masks.shape[1:]
logits = F.interpolate(model(images), size=size, mode="bilinear")  # error
loss = F.binary_cross_entropy_with_logits(logits, masks)
print(f"logits: {tuple(logits.shape)} loss: {loss.item():.3f}")
