import torch
from torch.utils.data import DataLoader, Dataset


class ReviewDataset(Dataset):
    def __init__(self, ratings):
        self.ratings = ratings

    def __getitem__(self, index):
        return self.ratings[index]


dataset = ReviewDataset(torch.arange(10))
loader = DataLoader(dataset, batch_size=4, shuffle=True)  # error
print(f"samples: {len(dataset)} batches: {len(loader)}")
