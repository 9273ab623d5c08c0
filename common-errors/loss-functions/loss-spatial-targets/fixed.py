import torch
from torch import nn
from torchvision import tv_tensors
from torchvision.transforms import v2

torch.manual_seed(0)
photo = tv_tensors.Image(torch.randint(256, (3, 48, 64), dtype=torch.uint8))
mask = tv_tensors.Mask(torch.randint(4, (1, 48, 64)))  # decode_image returns a channel dimension

resize = v2.Resize((32, 32))
photos, masks = (torch.stack([item, item]) for item in resize(photo, mask))  # a batch of two

model = nn.Conv2d(3, 4, kernel_size=3, padding=1)
logits, masks = model(photos / 255), masks.squeeze(1)  # a class per pixel: no channel dimension
loss = nn.functional.cross_entropy(logits, masks)
print(f"loss={loss.item():.3f}")
