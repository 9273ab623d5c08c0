import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

# %% a scale that rounds down to nothing
images, size = torch.rand(1, 64, 3, 3), 0.25
F.interpolate(images, scale_factor=size)
# %% fixed
images = torch.rand(1, 64, 3, 3)
height, width = images.shape[-2:]
size = [max(1, side) for side in (height // 4, width // 4)]
F.interpolate(images, size=size)

# %% an integer division of a small side
images = torch.rand(1, 3, 480, 20)
size = [side // 32 for side in images.shape[-2:]]
F.interpolate(images, size=size, mode="bilinear")
# %% fixed
images = torch.rand(1, 3, 480, 20)
size = [max(1, side) for side in (480 // 32, 20 // 32)]
F.interpolate(images, size=size, mode="bilinear")

# %% a video clip without frames
images, size = torch.rand(1, 3, 0, 16, 16), (8, 16, 16)
F.interpolate(images, size=size, mode="trilinear")

# %% a signal that ends before the window
images, size = torch.rand(1, 1, 1000)[:, :, 1000:1200], [100]
F.interpolate(images, size=size, mode="linear")

# %% an upsampling layer after too many poolings
images, size = nn.MaxPool2d(2)(torch.rand(1, 8, 16, 2))[:, :, :, 1:], 2.0
nn.Upsample(scale_factor=size, mode="bicubic")(images)

# %% no channel was selected
features, keep = torch.rand(1, 8, 16, 16), torch.zeros(8, dtype=torch.bool)
images, size = features[:, keep], (32, 32)
F.interpolate(images, size=size)

# %% a border that is wider than the tile
images, border = torch.rand(1, 3, 40, 40), 24
size = [side - 2 * border for side in images.shape[2:]]
F.interpolate(images, size=size)

# %% right: a single pixel is enlarged
images, size = torch.rand(1, 64, 1, 1), (16, 16)
F.interpolate(images, size=size, mode="bilinear")

# %% right: a batch without images
images, size = torch.rand(0, 3, 32, 32), (16, 16)
F.interpolate(images, size=size, mode="bilinear")
