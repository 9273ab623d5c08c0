import tempfile
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.io import decode_image, write_jpeg


class PhotoDataset(Dataset):
    def __init__(self, folder):
        self.paths = sorted(Path(folder).glob("*.jpg"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return decode_image(str(self.paths[index])).float() / 255


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    for number in range(8):
        photo = torch.randint(256, (3, 32, 32), dtype=torch.uint8)
        write_jpeg(photo, str(Path(folder, f"photo-{number}.jpeg")))

    dataset = PhotoDataset(folder)
    loader = DataLoader(dataset, batch_size=4, shuffle=True)  # error
    means = [photos.mean().item() for photos in loader]
    print(f"mean brightness: {sum(means) / len(means):.2f}")
