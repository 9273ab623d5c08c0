import torch
from torch.utils.data import DataLoader, Dataset


class ScanDataset(Dataset):
    """Scans of a machine; some are blank."""

    def __init__(self):
        self.scans = torch.rand(8, 1, 32, 32)
        self.scans[::4] = 0.0  # the sensor was off

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        scan = self.scans[index]
        if scan.max() > 0:
            return scan, index % 2


torch.manual_seed(0)
loader = DataLoader(ScanDataset(), batch_size=4)
for scans, labels in loader:  # error
    print(f"scans: {tuple(scans.shape)} labels: {labels.tolist()}")
