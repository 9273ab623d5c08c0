import torch
from torch import nn
from torchvision.transforms import v2

torch.manual_seed(0)
photo = torch.randint(256, (3, 32, 32), dtype=torch.uint8)
mask = torch.randint(4, (32, 32), dtype=torch.uint8)  # class of each pixel, 0 to 3, as read from a PNG

to_float = v2.ToDtype(torch.float32, scale=True)
photos = to_float(photo).unsqueeze(0)
masks = mask.long().unsqueeze(0)  # class indices must stay integers: no scaling
print(f"classes_in_mask={masks.unique().numel()}")

model = nn.Conv2d(3, 4, kernel_size=3, padding=1)
loss = nn.functional.cross_entropy(model(photos), masks)
print(f"loss={loss.item():.3f}")
