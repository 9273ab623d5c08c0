import torch
from torch.utils.data import DataLoader, Dataset


# At the top level of the module, where a worker finds it by its name.
def to_float(photo):
    return photo.float() / 255


class PhotoDataset(Dataset):
    def __init__(self):
        self.photos = torch.randint(256, (8, 3, 32, 32), dtype=torch.uint8)
        self.transform = to_float

    def __len__(self):
        return len(self.photos)

    def __getitem__(self, index):
        return self.transform(self.photos[index])


if __name__ == "__main__":
    torch.manual_seed(0)
    # "spawn" is the default on Windows and macOS.
    loader = DataLoader(PhotoDataset(), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    for photos in loader:
        print(f"photos: {tuple(photos.shape)}, largest value {photos.max().item():.1f}")
