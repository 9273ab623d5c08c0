import time

import torch
from torch.utils.data import DataLoader, Dataset


class RemoteImages(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        time.sleep(0.05)  # a download
        return torch.full((3, 32, 32), index / 64)


if __name__ == "__main__":
    # Each worker loads whole batches, so two of them load two batches in 1.6 s, and none earlier.
    loader = DataLoader(RemoteImages(), batch_size=32, num_workers=2, timeout=1)
    for images in loader:  # error
        print(f"batch: {tuple(images.shape)}")
