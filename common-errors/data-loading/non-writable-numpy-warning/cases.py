import pathlib
import tempfile

import numpy as np
import torch
from PIL import Image

# %% an image of PIL
array = np.asarray(Image.new("RGB", (8, 8)))
image = torch.from_numpy(array)
# %% fixed
array = np.asarray(Image.new("RGB", (8, 8)))
array = array.copy()
image = torch.from_numpy(array)

# %% a file that is mapped into memory
folder = tempfile.TemporaryDirectory()
np.save(pathlib.Path(folder.name) / "features.npy", np.ones((4, 8), dtype=np.float32))
array = np.load(pathlib.Path(folder.name) / "features.npy", mmap_mode="r")
features = torch.as_tensor(array[2])
# %% fixed
folder = tempfile.TemporaryDirectory()
np.save(pathlib.Path(folder.name) / "features.npy", np.ones((4, 8), dtype=np.float32))
array = np.load(pathlib.Path(folder.name) / "features.npy", mmap_mode="r")
array = array.copy()
features = torch.as_tensor(array[2])

# %% an array that was broadcast
array = np.broadcast_to(np.arange(3.0), (4, 3))
positions = torch.from_numpy(array)

# %% windows over a series
array = np.lib.stride_tricks.sliding_window_view(np.arange(10.0), 3)
windows = torch.from_numpy(array)

# %% an array that was locked
array = np.linspace(0, 1, 5)
array.flags.writeable = False
schedule = torch.as_tensor(array, dtype=torch.float64)

# %% message: bytes, without NumPy
samples = torch.frombuffer(b"\x00\x01\x02\x03", dtype=torch.uint8)
# %% fixed
data = b"\x00\x01\x02\x03"
samples = torch.frombuffer(bytearray(data), dtype=torch.uint8)

# %% right: torch.tensor copies
array = np.broadcast_to(np.arange(3.0), (4, 3)).copy()
positions = torch.tensor(array)

# %% right: an array of one's own
array = np.ones((4, 3))
torch.from_numpy(array)
