import torch
from torch import nn

# %% more poolings than the image has room for
model = nn.Sequential(*[nn.Sequential(nn.Conv2d(3, 3, 3, padding=1), nn.MaxPool2d(2)) for _ in range(5)])
batch = torch.rand(8, 3, 28, 28)
model(batch)

# %% a small image in a network that ends in a fixed window
model = nn.Sequential(nn.Conv2d(3, 16, 3, stride=8), nn.AvgPool2d(7), nn.Flatten(), nn.Linear(16, 10))
batch = torch.rand(4, 3, 32, 32)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 16, 3, stride=8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
batch = torch.rand(4, 3, 32, 32)
model(batch)

# %% images with their channels last
model = nn.Sequential(nn.MaxPool2d(4), nn.Flatten())
batch = torch.rand(8, 64, 64, 3)
model(batch)
# %% fixed
model = nn.Sequential(nn.MaxPool2d(4), nn.Flatten())
images = torch.rand(8, 64, 64, 3)
batch = images.permute(0, 3, 1, 2)
model(batch)

# %% a spectrogram that is narrower than the window
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.MaxPool2d((2, 8)))
batch = torch.rand(4, 1, 64, 5)
model(batch)

# %% an EEG with few electrodes
model = nn.Sequential(nn.Conv2d(1, 8, (4, 1)), nn.AvgPool2d((2, 4)))
batch = torch.rand(4, 1, 4, 128)
model(batch)

# %% message: a sequence as an image of height 1
nn.functional.avg_pool1d(torch.rand(2, 50, 3), 8)

# %% message: a short text
nn.functional.max_pool1d(torch.rand(2, 50, 3), 5)

# %% message: a thin volume
nn.functional.avg_pool3d(torch.rand(1, 8, 1, 4, 4), 2)

# %% message: a fractional pooling
nn.FractionalMaxPool2d(3, output_size=2)(torch.rand(1, 8, 2, 5))

# %% right: a window as large as the map, with padding
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(3, padding=1), nn.AvgPool2d(2))
batch = torch.rand(4, 3, 4, 4)
model(batch)

# %% right: a window that is larger, in ceiling mode
model = nn.AvgPool2d(7, ceil_mode=True)
batch = torch.rand(1, 8, 5, 5)
model(batch)
