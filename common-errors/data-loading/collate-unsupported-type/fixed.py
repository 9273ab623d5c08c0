import torch
from torch.utils.data import DataLoader, Dataset


class ScanDataset(Dataset):
    """Scans of a machine; some are blank."""

    def __init__(self):
        self.scans = torch.rand(8, 1, 32, 32)
        self.scans[::4] = 0.0  # the sensor was off
        # Blank scans are excluded once, here, so that every index returns a sample.
        self.usable = [index for index, scan in enumerate(self.scans) if scan.max() > 0]

    def __len__(self):
        return len(self.usable)

    def __getitem__(self, index):
        index = self.usable[index]
        return self.scans[index], index % 2


torch.manual_seed(0)
loader = DataLoader(ScanDataset(), batch_size=4)
for scans, labels in loader:
    print(f"scans: {tuple(scans.shape)} labels: {labels.tolist()}")
