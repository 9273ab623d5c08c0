import torch
from torch.utils.data import DataLoader, Dataset


class PhotoDataset(Dataset):
    def __init__(self):
        self.photos = torch.randint(256, (8, 3, 32, 32), dtype=torch.uint8)
        self.transform = lambda photo: photo.float() / 255

    def __len__(self):
        return len(self.photos)

    def __getitem__(self, index):
        return self.transform(self.photos[index])


if __name__ == "__main__":
    torch.manual_seed(0)
    # "spawn" is the default on Windows and macOS.
    loader = DataLoader(PhotoDataset(), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    for photos in loader:  # error
        print(f"photos: {tuple(photos.shape)}, largest value {photos.max().item():.1f}")
