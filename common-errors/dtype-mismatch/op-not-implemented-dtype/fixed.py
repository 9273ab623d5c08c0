import torch
from torch import nn

torch.manual_seed(0)
photos = torch.rand(2, 3, 96, 128)
masks = torch.randint(4, (2, 1, 96, 128))  # class of each pixel: int64, as cross_entropy wants it

photos = nn.functional.interpolate(photos, size=(64, 64), mode="bilinear")
# There is no int64 kernel. "nearest" only copies values, so the classes survive the round trip through float32.
masks = masks.float()
labels = nn.functional.interpolate(masks, size=(64, 64), mode="nearest").long()

model = nn.Conv2d(3, 4, kernel_size=3, padding=1)
loss = nn.functional.cross_entropy(model(photos), labels.squeeze(1))
print(f"loss={loss.item():.3f}")
