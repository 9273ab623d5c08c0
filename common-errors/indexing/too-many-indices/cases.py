import numpy as np
import torch
from torch import nn

# %% one detection through squeeze
detections = torch.rand(1, 6)
tensor, index = detections.squeeze(), (slice(None), 4)
scores = tensor[:, 4]

# %% a mask of the whole image
tensor = torch.rand(3, 64, 64)
index = (slice(None), slice(None), tensor.mean(dim=0) > 0.5)
tensor[index] = 0

# %% a mask and a column
tensor = torch.rand(8, 4)
index = (tensor > 0.5, 0)
values = tensor[index]

# %% a batch as if it was a dictionary
batch = torch.rand(8, 10)
tensor, index = batch, "labels"
labels = batch["labels"]

# %% a scalar with two indices
tensor, index = torch.rand(4, 4).mean(), (0, 0)
corner = tensor[index]

# %% a new dimension does not count
tensor, index = torch.rand(5), (None, 0, 0)
value = tensor[index]

# %% message: three index tensors for a matrix
rows, columns, channels = torch.tensor([0]), torch.tensor([1]), torch.tensor([2])
values = torch.rand(4, 4)[rows, columns, channels]

# %% message: NumPy, a column of labels
labels = np.zeros(10)[:, 0]


# %% message: a class token of features without tokens
class Pool(nn.Module):
    def forward(self, x):
        return x[:, 0, :]


nn.Sequential(nn.Flatten(), Pool())(torch.rand(2, 3, 4))


# %% message: a sequence without its batch, whose shape is unpacked
class Attention(nn.Module):
    def forward(self, x):
        batch, steps, features = x.shape
        return x.reshape(batch, steps, 4, features // 4)


Attention()(torch.rand(20, 64))


# %% fixed
class Attention(nn.Module):
    def forward(self, x):
        batch, steps, features = x.shape
        return x.reshape(batch, steps, 4, features // 4)


Attention()(torch.rand(20, 64).unsqueeze(0))

# %% message: a gray image that is an array
image = np.zeros((48, 64))
height, width, channels = image.shape
# %% fixed
array = np.zeros((48, 64))
channels, height, width = array[None].shape

# %% message: a batch of images where a matrix was expected
batch = {"images": torch.rand(8, 3, 32, 32)}
rows, columns = batch["images"].size()
# %% fixed
images = torch.rand(8, 3, 32, 32)
rows, columns = images.shape[-2:]

# %% right: as many indices as dimensions, and an ellipsis
tensor, index = torch.rand(2, 3, 4), (Ellipsis, 0, None)
values = tensor[index], tensor[tensor > 0.5]

# %% right: a mask over the last two of three dimensions
tensor = torch.rand(3, 8, 8)
index = (0, tensor.mean(dim=0) > 0.5)
values = tensor[index]
