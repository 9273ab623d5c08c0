import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

# %% a batch, and the dimensions of one image
tensor, dims = torch.rand(8, 64, 64, 3), (2, 0, 1)
channels_first = tensor.permute(*dims)
# %% fixed
tensor, dims = torch.rand(8, 64, 64, 3), (0, 3, 1, 2)
channels_first = tensor.movedim(-1, -3)
nn.Conv2d(3, 8, 3)(channels_first)

# %% one image, and the dimensions of a batch
tensor, dims = torch.rand(64, 48, 3), (0, 3, 1, 2)
channels_first = tensor.permute(dims)
# %% fixed
tensor, dims = torch.rand(64, 48, 3).unsqueeze(0), (0, 3, 1, 2)
channels_first = tensor.permute(dims)
nn.Conv2d(3, 8, 3)(channels_first)

# %% a squeeze that also removes the batch of one
features = torch.rand(1, 512, 1, 20)
tensor, dims = features.squeeze(), (2, 0, 1)
steps = tensor.permute(*dims)
# %% fixed
features = torch.rand(1, 512, 1, 20)
tensor, dims = features.squeeze(2), (2, 0, 1)
steps = tensor.permute(*dims)
nn.LSTM(512, 64)(steps)

# %% a squeeze that removes nothing, as the feature map is 2 high
model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.MaxPool2d((16, 2)))
batch = torch.rand(4, 1, 32, 100)
tensor, dims = model(batch).squeeze(2), (2, 0, 1)
steps = tensor.permute(*dims)
# %% fixed
model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.MaxPool2d((16, 2)))
batch = torch.rand(4, 1, 16, 100)
tensor, dims = model(batch).squeeze(2), (2, 0, 1)
steps = tensor.permute(*dims)

# %% message: keys of an attention with heads
keys = torch.rand(2, 8, 20, 64)
scores = keys @ keys.permute(0, 2, 1)
# %% fixed
keys = torch.rand(2, 8, 20, 64)
scores = keys @ keys.transpose(-2, -1)

# %% message: one-hot of a mask with a channel
mask = torch.zeros(4, 1, 32, 32, dtype=torch.long)
target = F.one_hot(mask, 3).permute(0, 3, 1, 2)
# %% fixed
mask = torch.zeros(4, 1, 32, 32, dtype=torch.long)
target = F.one_hot(mask.squeeze(1), 3).permute(0, 3, 1, 2)
loss = F.binary_cross_entropy_with_logits(torch.rand(4, 3, 32, 32), target.float())

# %% message: one frame of a clip
clip = torch.rand(2, 16, 3, 8, 8)
volume = clip[0].permute(0, 2, 1, 3, 4)

# %% message: a sequence for a matrix
series = torch.rand(2, 50, 6)
rows = torch.permute(series, (1, 0))
# %% fixed
series = torch.rand(2, 50, 6)
rows = series.transpose(-2, -1)

# %% message: heads that were not averaged
weights = torch.rand(4, 8, 20, 20)
swapped = weights.permute(1, 0)

# %% message: a single number that should be a vector
total = torch.rand(5).sum()
column = total.permute(0)

# %% message: a dimension that is listed twice
image = torch.rand(64, 48, 3)
channels_first = image.permute(2, 0, -1)

# %% message: a scan in a worker process
class Scans(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.from_numpy(np.array(Image.new("L", (64, 48)))).permute(2, 0, 1)


if __name__ == "__main__":
    for batch in DataLoader(Scans(), num_workers=1, multiprocessing_context="fork"):
        print(batch.shape)
# %% fixed
class Scans(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.from_numpy(np.array(Image.new("L", (64, 48)).convert("RGB"))).permute(2, 0, 1)


if __name__ == "__main__":
    for batch in DataLoader(Scans(), num_workers=1, multiprocessing_context="fork"):
        print(batch.shape)

# %% message: the same of NumPy
scan = np.zeros((64, 48), dtype=np.uint8)
channels_first = scan.transpose(2, 0, 1)
# %% fixed
scan = np.zeros((64, 48), dtype=np.uint8)
channels_first = scan[None]

# %% right: negative indices, and a batch of one
tensor, dims = torch.rand(1, 64, 64, 3), (0, -1, 1, 2)
channels_first = tensor.permute(*dims)

# %% right: a single number
tensor, dims = torch.tensor(3.0), ()
same = tensor.permute(dims)
