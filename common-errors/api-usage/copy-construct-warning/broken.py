import torch
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, tokens, labels):
        self.tokens, self.labels = tokens, labels

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return torch.tensor(self.tokens[index]), self.labels[index]  # error


tokens = torch.randint(1000, (8, 12), generator=torch.Generator().manual_seed(0))
dataset = Sentences(tokens, [0, 1] * 4)
batch, labels = next(iter(DataLoader(dataset, batch_size=4)))
print(f"batch: {tuple(batch.shape)} equal: {torch.equal(batch, tokens[:4])}")
