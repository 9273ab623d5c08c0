import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

# %% a text of three words, and a kernel of five
model = nn.Sequential(nn.Conv1d(64, 32, kernel_size=5), nn.ReLU(), nn.AdaptiveMaxPool1d(1))
batch = torch.randn(1, 64, 3)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv1d(64, 32, kernel_size=5), nn.ReLU(), nn.AdaptiveMaxPool1d(1))
batch = F.pad(torch.randn(1, 64, 3), (0, 2))
model(batch)

# %% a dilated convolution on a small map
model = nn.Sequential(nn.Conv2d(8, 8, kernel_size=3, stride=2), nn.Conv2d(8, 8, kernel_size=3, dilation=4))
batch = torch.rand(2, 8, 15, 15)
model(batch)

# %% a crop beyond the right edge
model = nn.Conv2d(3, 16, kernel_size=3, padding=1)
photo = torch.rand(1, 3, 384, 512)
batch = photo[:, :, :, 600:640]
model(batch)

# %% a crop below the lower edge
model = nn.Conv2d(3, 16, kernel_size=(3, 1), padding=(1, 0))
photo = torch.rand(1, 3, 384, 512)
batch = photo[:, :, 400:440]
model(batch)

# %% a video of two frames
model = nn.Sequential(nn.Conv3d(3, 8, kernel_size=3))
batch = torch.rand(1, 3, 2, 32, 32)
model(batch)

# %% message: the auxiliary classifier of inception_v3
from torchvision.models import inception_v3

inception_v3(weights=None, init_weights=False)(torch.rand(2, 3, 224, 224))

# %% message: a filter that is larger than the image
F.conv2d(torch.rand(1, 1, 5, 5), torch.ones(1, 1, 11, 11) / 121)

# %% message: reflection of a single pixel
images = torch.rand(2, 8, 1, 1)
nn.Conv2d(8, 8, kernel_size=3, padding=1, padding_mode="reflect")(images)
# %% fixed
images = torch.rand(2, 8, 1, 1)
nn.Conv2d(8, 8, kernel_size=3, padding=1, padding_mode="zeros")(images)

# %% message: the spectrum of a short recording
recording = torch.randn(100)
torch.stft(recording, 400, window=torch.hann_window(400), return_complex=True)
# %% fixed
recording = torch.randn(100)
torch.stft(recording, 400, window=torch.hann_window(400), pad_mode="constant", return_complex=True)

# %% right: one pixel, with padding
model = nn.Sequential(nn.Conv2d(8, 8, kernel_size=3, padding=1))
batch = torch.rand(2, 8, 1, 1)
model(batch)

# %% right: the size stays the same, with a kernel of seven
model = nn.Sequential(nn.Conv2d(8, 8, kernel_size=7, dilation=2, padding="same"))
batch = torch.rand(2, 8, 3, 3)
model(batch)
