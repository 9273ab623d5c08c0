import ctypes
import os
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, index):
        return torch.full((3, 512, 512), index / 48)  # 3 MiB


def set_shm_size(size):
    """What `docker run --shm-size` does, for this process on Linux: a /dev/shm of its own."""
    libc, user = ctypes.CDLL(None), os.getuid()
    new_mounts, new_user, recursive_and_private = 0x20000, 0x10000000, 0x44000
    libc.unshare(new_mounts | (new_user if user else 0))
    if user:
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    libc.mount(b"none", b"/", None, recursive_and_private, None)
    libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, f"size={size}".encode())


if __name__ == "__main__":
    set_shm_size("64m")  # Docker's default
    loader = DataLoader(Scans(), batch_size=16, num_workers=1)
    for batch in loader:  # error
        print(f"brightness: {batch.mean().item():.2f}")
