import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset

reviews = pd.DataFrame({"words": [12, 80, 31, 7, 44, 23, 9, 65], "stars": [5, 1, 4, 1, 3, 5, 2, 4]})
reviews = reviews[reviews["stars"] > 1]


class Reviews(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        return torch.tensor([self.table["words"][index], self.table["stars"][index]])  # error


dataset = Reviews(reviews)
for batch in DataLoader(dataset, batch_size=3):
    print("words:", batch[:, 0].tolist(), "stars:", batch[:, 1].tolist())
