import numpy as np
import torch
from torch.utils.data import DataLoader
from torchvision.transforms import v2

# %% an OpenCV image from BGR to RGB
image = np.zeros((24, 32, 3), dtype=np.uint8)
array = image[..., ::-1]
pixels = torch.as_tensor(array)
# %% fixed
image = np.zeros((24, 32, 3), dtype=np.uint8)
array = image[..., ::-1]
array = array.copy()
pixels = torch.as_tensor(array)

# %% a series in reverse
prices = np.array([310.0, 275.5, 498.0])
array = prices[::-1]
newest_first = torch.tensor(array)

# %% a rotated mask in a transform
array = np.rot90(np.zeros((16, 24), dtype=np.int64))
mask = v2.ToImage()(array)

# %% recordings that a worker collates
array = np.flip(np.random.default_rng(0).standard_normal((2, 100)), axis=1)
if __name__ == "__main__":
    loader = DataLoader([array, array], batch_size=2, num_workers=1)
    next(iter(loader))

# %% boxes in the order of their scores
boxes, scores = torch.rand(4, 4), np.array([0.2, 0.9, 0.4, 0.6])
array = np.argsort(scores)[::-1]
boxes = boxes[array]
# %% fixed
boxes, scores = torch.rand(4, 4), np.array([0.2, 0.9, 0.4, 0.6])
array = np.argsort(scores)[::-1].copy()
boxes = boxes[array]
array = array.copy()

# %% only a dimension of size 1 is flipped
array = np.ascontiguousarray(np.zeros((1, 28), dtype=np.float32)[::-1])
row = torch.from_numpy(array)

# %% message: an old constructor
returns = torch.FloatTensor(np.cumsum([1.0, 0.5, 0.25])[::-1])

# %% message: by DLPack
torch.from_dlpack(np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::-1])

# %% message: a field of a structured array
points = np.zeros(5, dtype=[("height", "f4"), ("class", "u1")])
torch.from_numpy(points["height"])
# %% fixed
points = np.zeros(5, dtype=[("height", "f4"), ("class", "u1")])
array = points["height"]
torch.from_numpy(array.copy())

# %% message: big-endian numbers, as in FITS files
torch.from_numpy(np.zeros((8, 8), dtype=">f4"))
# %% fixed
array = np.zeros((8, 8), dtype=">f4")
torch.from_numpy(array.astype(array.dtype.newbyteorder("=")))

# %% right: flipped, then scaled
array = np.fliplr(np.zeros((24, 32, 3), dtype=np.uint8)) / 255
pixels = torch.from_numpy(array)

# %% right: transposed, which is no flip
array = np.zeros((24, 32, 3), dtype=np.uint8).transpose(2, 0, 1)[:, ::2]
pixels = torch.from_numpy(array)

# %% right: rotated half a turn, then stacked
array = np.stack([np.rot90(np.zeros((16, 24)), 2), np.zeros((16, 24))])
pixels = torch.from_numpy(array)
