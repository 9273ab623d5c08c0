import torch
from torch.utils.data import DataLoader, Dataset


class ReviewDataset(Dataset):
    def __init__(self, ratings):
        self.ratings = ratings

    def __getitem__(self, index):
        return self.ratings[index]

    # The loader draws indices from range(len(dataset)).
    def __len__(self):
        return len(self.ratings)


dataset = ReviewDataset(torch.arange(10))
loader = DataLoader(dataset, batch_size=4, shuffle=True)
print(f"samples: {len(dataset)} batches: {len(loader)}")
