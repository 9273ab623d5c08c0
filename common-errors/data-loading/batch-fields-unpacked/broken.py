import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Photos(Dataset):
    def __init__(self):
        self.images, self.labels = torch.rand(8, 3, 16, 16), torch.randint(10, (8,))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.labels[index], f"photo_{index}.jpg"


loader = DataLoader(Photos(), batch_size=4)
for images, labels in loader:  # error
    print("images:", list(images.shape), "labels:", list(labels.shape))
