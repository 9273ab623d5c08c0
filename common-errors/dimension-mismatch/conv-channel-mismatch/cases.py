import torch
from PIL import Image
from torch import nn

torch.manual_seed(0)
raw = None

# %% an image with its channels last
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
batch = torch.rand(4, 48, 64, 3)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
x = torch.rand(4, 48, 64, 3)
batch = x.permute(0, 3, 1, 2)
model(batch)

# %% sensors over time
model = nn.Conv1d(12, 32, kernel_size=3)
batch = torch.rand(16, 100, 12)
model(batch)
# %% fixed
model = nn.Conv1d(12, 32, kernel_size=3)
x = torch.rand(16, 100, 12)
batch = x.transpose(1, 2)
model(batch)

# %% a volume with its channels last
model = nn.Conv3d(2, 4, kernel_size=3)
batch = torch.rand(1, 16, 24, 24, 2)
model(batch)
# %% fixed
model = nn.Conv3d(2, 4, kernel_size=3)
x = torch.rand(1, 16, 24, 24, 2)
batch = x.permute(0, 4, 1, 2, 3)
model(batch)

# %% frames before channels
model = nn.Conv3d(3, 8, kernel_size=3)
batch = torch.rand(2, 16, 3, 32, 32)
model(batch)
# %% fixed
model = nn.Conv3d(3, 8, kernel_size=3)
x = torch.rand(2, 16, 3, 32, 32)
batch = x.transpose(1, 2)
model(batch)

# %% scans without a channel dimension
model = nn.Sequential(nn.Conv2d(1, 16, kernel_size=3))
batch = torch.rand(8, 64, 64)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(1, 16, kernel_size=3))
x = torch.rand(8, 64, 64)
batch = x.unsqueeze(1)
model(batch)

# %% gray images for a model of color images
model = nn.Sequential(nn.Conv2d(3, 8, 7, stride=2), nn.BatchNorm2d(8))
batch = torch.rand(4, 1, 64, 64)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 7, stride=2), nn.BatchNorm2d(8))
x = torch.rand(4, 1, 64, 64)
batch = x.expand(-1, 3, -1, -1)
model(batch)

# %% an image with transparency
model = nn.Conv2d(3, 8, 3)
batch = torch.rand(1, 4, 32, 32)
model(batch)
# %% fixed
model = nn.Conv2d(3, 8, 3)
x = torch.rand(1, 4, 32, 32)
batch = x[:, :3]
model(batch)

# %% color images for a model of gray ones
model = nn.Sequential(nn.Conv2d(1, 32, 3))
batch = torch.rand(4, 3, 28, 28)
model(batch)
# %% fixed
image = Image.new("RGB", (28, 28)).convert("L")
model = nn.Sequential(nn.Conv2d(1, 32, 3))
batch = torch.tensor(list(image.getdata())).view(1, 1, 28, 28) / 255
model(batch)

# %% latents of another family of models
model = nn.Conv2d(4, 32, 3, padding=1)
batch = torch.randn(1, 16, 32, 32)
model(batch)

# %% a skip connection that doubles the channels
model = nn.Sequential(nn.Conv2d(16, 16, 3))
batch = torch.cat([torch.rand(4, 16, 32, 32), torch.rand(4, 16, 32, 32)], dim=1)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(in_channels=32, out_channels=16, kernel_size=3))
batch = torch.cat([torch.rand(4, 16, 32, 32), torch.rand(4, 16, 32, 32)], dim=1)
model(batch)

# %% images as wide as the layer has channels
model = nn.Sequential(nn.Conv2d(3, 48, 3, padding=1), nn.Conv2d(32, 64, 3))
batch = torch.rand(2, 3, 32, 32)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 48, 3, padding=1), nn.Conv2d(in_channels=48, out_channels=64, kernel_size=3))
batch = torch.rand(2, 3, 32, 32)
model(batch)

# %% a decoder without its skip connection
model = nn.ConvTranspose2d(128, 32, 2, stride=2)
batch = torch.rand(1, 64, 8, 8)
model(batch)
# %% fixed
model = nn.ConvTranspose2d(in_channels=64, out_channels=32, kernel_size=2, stride=2)
batch = torch.rand(1, 64, 8, 8)
model(batch)

# %% in groups
model = nn.Conv2d(8, 8, 3, groups=4)
batch = torch.rand(2, 6, 16, 16)
model(batch)
# %% fixed
model = nn.Conv2d(in_channels=6, out_channels=8, kernel_size=3, groups=2)
batch = torch.rand(2, 6, 16, 16)
model(batch)

# %% a decoder whose input has its channels last
model = nn.ConvTranspose2d(16, 8, 2, stride=2)
batch = torch.rand(2, 8, 8, 16)
model(batch)
# %% fixed
model = nn.ConvTranspose2d(16, 8, 2, stride=2)
x = torch.rand(2, 8, 8, 16)
batch = x.permute(0, 3, 1, 2)
model(batch)

# %% three recordings without a channel dimension
model = nn.Sequential(nn.Conv1d(1, 16, kernel_size=10, stride=5), nn.GELU())
batch = torch.randn(3, 16000)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv1d(1, 16, kernel_size=10, stride=5), nn.GELU())
x = torch.randn(3, 16000)
batch = x.unsqueeze(1)
model(batch)

# %% three accelerometer axes, and one arrives
model = nn.Conv1d(3, 16, kernel_size=5)
batch = torch.randn(8, 1, 200)
model(batch)
# %% fixed
model = nn.Conv1d(in_channels=1, out_channels=16, kernel_size=5)
batch = torch.randn(8, 1, 200)
model(batch)

# %% a convolution as a function, and a layer called by keyword


class EdgeDetector(nn.Module):
    def __init__(self):
        super().__init__()
        self.smooth = nn.Conv2d(1, 1, 3)
        self.register_buffer("kernel", torch.ones(2, 5, 3, 3))

    def forward(self, images):
        return nn.functional.conv2d(self.smooth(input=images), self.kernel)


model, batch = EdgeDetector(), torch.rand(4, 1, 32, 32)
model(batch)
# %% fixed
batch = nn.Conv2d(1, 1, 3)(torch.rand(4, 1, 32, 32))
model = nn.Conv2d(in_channels=1, out_channels=2, kernel_size=3)
model(batch)

# %% message: a slice that leaves no channel
nn.Conv2d(3, 8, 3)(torch.rand(2, 3, 32, 32)[:, 3:])

# %% message: on meta
with torch.device("meta"):
    nn.Conv2d(3, 8, 3)(torch.rand(4, 1, 32, 32))

# %% right: channels last in memory
raw = torch.randint(256, (2, 24, 32, 3), dtype=torch.uint8)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3, groups=4)).to(memory_format=torch.channels_last)
batch = raw.permute(0, 3, 1, 2).float()
model(batch)

# %% right: a layer called by keyword
model = nn.ModuleDict({"conv": nn.Conv1d(3, 8, 3, groups=1)})
model.forward = lambda batch: model["conv"](input=batch)
batch = torch.rand(2, 3, 50)
model(batch)

# %% right: one image without a batch
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ConvTranspose2d(8, 4, 3))
batch = torch.rand(3, 32, 32)
model(batch)
