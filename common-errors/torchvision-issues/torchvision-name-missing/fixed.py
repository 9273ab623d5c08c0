import torch
from torchvision.transforms.functional import rgb_to_grayscale  # the public module, in old and new versions

torch.manual_seed(0)
photos = torch.rand(4, 3, 64, 64)
gray = rgb_to_grayscale(photos)
print(f"gray: {tuple(gray.shape)}")
