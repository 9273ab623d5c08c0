import torch
from torch.utils.data import DataLoader, Dataset


class HouseDataset(Dataset):
    def __init__(self):
        self.rooms = torch.randint(1, 8, (8, 4)).float()
        self.prices = [310.0, 275.5, 498.0, 182.3, 640.0, 355.0, 289.9, 410.0]

    def __len__(self):
        return len(self.prices)

    def __getitem__(self, index):
        return self.rooms[index], torch.tensor(self.prices[index])  # stack joins only tensors


def collate(samples):
    rooms, prices = zip(*samples)
    rooms = torch.stack(rooms)
    prices = torch.stack(prices)
    return rooms, prices


torch.manual_seed(0)
for rooms, prices in DataLoader(HouseDataset(), batch_size=4, collate_fn=collate):
    print(f"rooms: {tuple(rooms.shape)} prices: {tuple(prices.shape)}")
