import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2


class PhotoDataset(Dataset):
    """Landscape and portrait photos."""

    sizes = [(120, 160), (160, 120), (120, 160), (200, 100)]

    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, index):
        photo = torch.randint(256, (3, *self.sizes[index]), dtype=torch.uint8)
        return self.transform(photo), index % 2


torch.manual_seed(0)
transform = v2.ToDtype(torch.float32, scale=True)
dataset = PhotoDataset(transform)
loader = DataLoader(dataset, batch_size=4)
for images, labels in loader:  # error
    print(f"images: {tuple(images.shape)} labels: {labels.tolist()}")
