import ctypes
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


def set_shm_size(size):
    """What `docker run --shm-size` does, for this process on Linux: a /dev/shm of its own."""
    libc, user = ctypes.CDLL(None), os.getuid()
    new_mounts, new_user, recursive_and_private = 0x20000, 0x10000000, 0x44000
    libc.unshare(new_mounts | (new_user if user else 0))
    if user:
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    libc.mount(b"none", b"/", None, recursive_and_private, None)
    libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, f"size={size}".encode())


# %% two workers and pairs of images
if __name__ == "__main__":
    set_shm_size("4m")
    pairs = TensorDataset(torch.rand(32, 3, 128, 128), torch.rand(32, 3, 128, 128))
    loader = DataLoader(pairs, batch_size=8, num_workers=2)
    for batch in loader:
        print(len(batch))


# %% masks as large as the images
class Masks(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.zeros(3, 256, 256), torch.zeros(256, 256, dtype=torch.long)


if __name__ == "__main__":
    set_shm_size("6m")
    loader = DataLoader(Masks(), batch_size=4, num_workers=1)
    for images, masks in loader:
        print(images.shape)

# %% a prefetch_factor of 16
if __name__ == "__main__":
    set_shm_size("4m")
    loader = DataLoader(torch.rand(256, 64, 128), batch_size=16, num_workers=1, prefetch_factor=16)
    for batch in loader:
        print(batch.shape)

# %% message: a tensor that is shared by hand
set_shm_size("4m")
replay = torch.zeros(4_000_000).share_memory_()


# %% message: a model that processes train together
set_shm_size("4m")
nn.Linear(2048, 2048).share_memory()


# %% message: a file becomes shorter while it is mapped
class Mapped(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        with tempfile.TemporaryFile() as file:
            file.truncate(8192)
            values = np.memmap(file, dtype=np.uint8, mode="r")
            file.truncate(0)
            return int(values[5000])


if __name__ == "__main__":
    next(iter(DataLoader(Mapped(), num_workers=1)))

# %% right: small batches
if __name__ == "__main__":
    set_shm_size("64m")
    loader = DataLoader(torch.rand(64, 3, 32, 32), batch_size=16, num_workers=2)
    for batch in loader:
        print(batch.shape)
