import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% a photo as it was decoded
model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
batch = torch.randint(256, (2, 3, 16, 16), dtype=torch.uint8)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
images, layer = torch.randint(256, (2, 3, 16, 16), dtype=torch.uint8), model[0]
batch = images.to(layer.weight.dtype) / 255
model(batch)

# %% a photo as it was decoded, and a model in float16
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU()).half()
batch = torch.randint(256, (2, 3, 16, 16), dtype=torch.uint8)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU()).half()
images, layer = torch.randint(256, (2, 3, 16, 16), dtype=torch.uint8), model[0]
batch = images.to(layer.weight.dtype) / 255
model(batch)

# %% token ids into a convolution
model = nn.Sequential(nn.Conv1d(20, 16, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(1))
batch = torch.randint(5000, (4, 20, 12))
model(batch)
# %% fixed
embedding = nn.Embedding(5000, 20)
model = nn.Sequential(nn.Conv1d(20, 16, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(1))
batch = embedding(torch.randint(5000, (4, 12))).transpose(1, 2)
model(batch)

# %% message: a mask that is dilated
layer = nn.Conv2d(1, 1, 3, padding=1)
mask = torch.rand(2, 1, 8, 8) > 0.5
layer(mask)
# %% fixed
layer = nn.Conv2d(1, 1, 3, padding=1)
x = torch.rand(2, 1, 8, 8) > 0.5
layer(x.to(layer.weight.dtype))

# %% a recording from NumPy, under autocast
model = nn.Conv1d(1, 8, 9)
model.forward = torch.autocast("cpu", dtype=torch.bfloat16)(model.forward)
batch = torch.from_numpy(np.sin(np.linspace(0, 50, 400))).reshape(1, 1, -1)
model(batch)
# %% fixed
layer = model = nn.Conv1d(1, 8, 9)
model.forward = torch.autocast("cpu", dtype=torch.bfloat16)(model.forward)
x = torch.from_numpy(np.sin(np.linspace(0, 50, 400))).reshape(1, 1, -1)
batch = x.to(layer.weight.dtype)
model(batch)

# %% message: a volume of one sample in float64
layer = nn.Conv3d(1, 4, 3)
layer(torch.zeros(1, 8, 8, 8, dtype=torch.float64))
# %% fixed
layer, x = nn.Conv3d(1, 4, 3), torch.zeros(1, 8, 8, 8, dtype=torch.float64)
layer(x.to(layer.weight.dtype))


# %% autocast covers the backbone but not the head
class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Conv2d(8, 5, 1)

    def forward(self, images):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            features = self.backbone(images)
        return self.head(features)


model, batch = Detector(), torch.rand(2, 3, 16, 16)
model(batch)
# %% fixed
backbone, layer = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()), nn.Conv2d(8, 5, 1)
with torch.autocast("cpu", dtype=torch.bfloat16):
    x = backbone(torch.rand(2, 3, 16, 16))
model, batch = layer, x.to(layer.weight.dtype)
model(batch)

# %% a checkpoint in bfloat16
model = nn.Sequential(nn.Conv2d(3, 8, 4, stride=4), nn.Flatten(2)).bfloat16()
batch = torch.rand(2, 3, 16, 16)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 4, stride=4), nn.Flatten(2)).bfloat16()
x, layer = torch.rand(2, 3, 16, 16), model[0]
batch = x.to(layer.weight.dtype)
model(batch)

# %% a layer without bias in float16
model = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8)).half()
batch = torch.rand(2, 3, 16, 16)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8)).half()
x, layer = torch.rand(2, 3, 16, 16), model[0]
batch = x.to(layer.weight.dtype)
model(batch)

# %% a spectrum
model = nn.Conv2d(1, 4, 3)
batch = torch.fft.fft2(torch.rand(2, 1, 16, 16))
model(batch)
# %% fixed
model = nn.Conv2d(1, 4, 3)
x = torch.fft.fft2(torch.rand(2, 1, 16, 16))
batch = x.abs()
model(batch)

# %% message: a model in float64
layer = nn.Conv2d(3, 8, 3).double()
layer(torch.rand(2, 3, 8, 8))
# %% fixed
x, layer = torch.rand(2, 3, 8, 8), nn.Conv2d(3, 8, 3).double()
layer(x.to(layer.weight.dtype))

# %% message: a kernel from NumPy
kernel = torch.from_numpy(np.outer([1, 2, 1], [1, 2, 1]) / 16)
F.conv2d(torch.rand(2, 1, 8, 8), kernel[None, None])
# %% fixed
x, kernel = torch.rand(2, 1, 8, 8), torch.from_numpy(np.outer([1, 2, 1], [1, 2, 1]) / 16)
F.conv2d(x, kernel.to(x.dtype)[None, None])

# %% message: float16 features and a layer in bfloat16
layer = nn.Conv2d(3, 8, 3).bfloat16()
layer(torch.rand(2, 3, 8, 8).half())
# %% fixed
x, layer = torch.rand(2, 3, 8, 8).half(), nn.Conv2d(3, 8, 3).bfloat16()
layer(x.to(layer.weight.dtype))

# %% right: autocast converts the input and the weights
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 1))
model.forward = torch.autocast("cpu", dtype=torch.bfloat16)(model.forward)
batch = torch.rand(2, 3, 16, 16).bfloat16()
model(batch)

# %% right: model and input in float64
model = nn.Sequential(nn.Conv1d(1, 8, 9), nn.ReLU()).double()
batch = torch.from_numpy(np.ones((2, 1, 40)))
model(batch)
