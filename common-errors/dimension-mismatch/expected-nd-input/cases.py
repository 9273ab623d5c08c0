import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
single = False

# %% one gray image
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU())
batch = torch.rand(28, 28)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU())
image = torch.rand(28, 28)
batch = image[None, None]
model(batch)

# %% videos in a model of images
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
batch = torch.rand(2, 8, 3, 32, 32)
model(batch)

# %% a loader that already added the batch
model = nn.Conv3d(1, 4, 3)
batch = torch.rand(1, 1, 16, 24, 24).unsqueeze(0)
model(batch)

# %% a single signal as a plain list of values
model = nn.Conv2d(1, 4, 3)
batch = torch.rand(784)
model(batch)

# %% one image in a model with batch normalization
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
batch = torch.rand(3, 32, 32)
model(batch)

# %% feature maps in an LSTM
model = nn.LSTM(7, 16, batch_first=True)
batch = torch.rand(8, 10, 64, 7)
model(batch)

# %% a whole sequence in a cell
cell = nn.GRUCell(8, 16)
batch, model = torch.rand(4, 10, 8), cell
single = True
cell(batch)

# %% windows in attention
model = nn.TransformerEncoderLayer(16, 4, batch_first=True)
batch = torch.rand(2, 4, 9, 16)
model(batch)

# %% message: pooling of vectors
nn.MaxPool2d(2)(torch.rand(8, 64))

# %% message: one-dimensional pooling of images
nn.AvgPool1d(2)(torch.rand(8, 3, 16, 16))

# %% message: an image without batch, enlarged
F.interpolate(torch.rand(3, 8, 8), scale_factor=2, mode="bilinear")
# %% fixed
single = False
model, batch = nn.Upsample(scale_factor=2, mode="bilinear"), torch.rand(3, 8, 8).unsqueeze(0)
model(batch)

# %% message: a batch of series in an image mode
F.interpolate(torch.randn(4, 3, 57), size=100, mode="bilinear")
# %% fixed
model, batch = nn.Upsample(size=100, mode="linear"), torch.randn(4, 3, 57)
model(batch)

# %% message: a batch of series in the bicubic mode
F.interpolate(torch.randn(4, 3, 57), size=100, mode="bicubic")
# %% fixed
model, batch = nn.Upsample(size=100, mode="linear"), torch.randn(4, 3, 57)
model(batch)

# %% message: images in the mode of series
F.interpolate(torch.rand(2, 3, 8, 8), scale_factor=2, mode="linear")
# %% fixed
model, batch = nn.Upsample(scale_factor=2, mode="bilinear"), torch.rand(2, 3, 8, 8)
model(batch)

# %% message: volumes in an image mode
F.interpolate(torch.rand(1, 2, 4, 8, 8), scale_factor=2, mode="bilinear")
# %% fixed
model, batch = nn.Upsample(scale_factor=2, mode="trilinear"), torch.rand(1, 2, 4, 8, 8)
model(batch)

# %% message: a batch of matrices
torch.mm(torch.rand(2, 3, 4), torch.rand(4, 5))

# %% message: a matrix without a batch
torch.bmm(torch.rand(3, 4), torch.rand(4, 5))

# %% message: the transpose of a batch
torch.rand(2, 3, 4).t()

# %% right: one image without a batch, on purpose
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.MaxPool2d(2))
batch, single = torch.rand(3, 32, 32), True
model(batch)

# %% right: vectors in a batch normalization
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16))
batch = torch.rand(4, 8)
model(batch)
