import numpy as np
import torch

# %% all images of a data set, scaled at once
images = np.broadcast_to(np.uint8(255), (1_200_000_000, 224, 224, 3))  # as np.memmap gives them
shape, dtype = images.shape, np.float64
batch = torch.from_numpy(images / 255.0)[:32]
# %% fixed
images = np.broadcast_to(np.uint8(255), (1_200_000_000, 224, 224, 3))
shape, dtype = (32, 224, 224, 3), np.float32
batch = torch.from_numpy(images[:32]).float() / 255

# %% one-hot labels of a vocabulary
tokens = np.arange(8_000_000) % 50_000
shape, dtype = (len(tokens), 50_000_000), np.float64
targets = np.zeros(shape)
targets[np.arange(len(tokens)), tokens] = 1

# %% distances between all pairs of points
points = np.zeros((5_000_000, 3), dtype=np.float32)
shape, dtype = (5_000_000, 5_000_000, 3), np.float32
nearest = np.linalg.norm(points[:, None] - points, axis=2).argmin(1)

# %% a projection of all rows
features = np.broadcast_to(np.float32(1), (4_000_000_000, 2048))
shape, dtype = (4_000_000_000, 65536), np.float32
hidden = features @ np.ones((2048, 65536), dtype=np.float32)

# %% a count in bytes for every pair of users
shape, dtype = (7_000_000, 9_000_000), np.uint8
counts = np.zeros(shape, dtype=np.uint8)

# %% message: windows of a long signal, copied
signal = np.zeros(90_000_000, dtype=np.float32)
windows = np.lib.stride_tricks.sliding_window_view(signal, 1_000_000).copy()

# %% message: complex numbers of a spectrum
spectrum = np.zeros((3, 2**45), dtype=np.complex64)

# %% message: a size that no address reaches
grid = np.empty((2**40, 2**40))

# %% right: a table that fits
shape, dtype = (10_000, 100), np.float32
table = torch.from_numpy(np.zeros(shape, dtype=dtype))

# %% right: windows as a view
signal = np.zeros(1_000_000, dtype=np.float32)
windows = np.lib.stride_tricks.sliding_window_view(signal, 1000)
shape, dtype = windows[:32].shape, np.float32
batch = torch.from_numpy(windows[:32].copy())
