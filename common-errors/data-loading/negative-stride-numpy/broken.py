import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def mirrored(photo):
    return np.fliplr(photo)


class PhotoDataset(Dataset):
    def __init__(self, photos):
        self.photos = photos
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.photos)

    def __getitem__(self, index):
        photo = self.photos[index]
        if self.rng.random() < 0.5:
            photo = mirrored(photo)
        return torch.from_numpy(photo).permute(2, 0, 1)  # error


photos = np.random.default_rng(1).integers(256, size=(8, 32, 48, 3), dtype=np.uint8)
for batch in DataLoader(PhotoDataset(photos), batch_size=4):
    print(f"batch: {tuple(batch.shape)}")
