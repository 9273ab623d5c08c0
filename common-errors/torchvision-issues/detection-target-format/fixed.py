import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn


class StreetDataset(Dataset):
    """Boxes as [x1, y1, x2, y2] and labels, 1 for cars and 2 for people. The second street is empty."""

    annotations = [([[10, 20, 60, 80], [70, 10, 120, 50]], [1, 2]), ([], [])]

    def __len__(self):
        return len(self.annotations)

    def __getitem__(self, index):
        boxes, labels = self.annotations[index]
        # Without objects, the tensor has the shape [0]; reshape makes it [0, 4].
        boxes = torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4)
        return torch.rand(3, 96, 128), {"boxes": boxes, "labels": torch.tensor(labels, dtype=torch.int64)}


def collate(samples):
    return tuple(zip(*samples))


torch.manual_seed(0)
model = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=3, min_size=96)
for images, targets in DataLoader(StreetDataset(), batch_size=2, collate_fn=collate):
    losses = model(images, targets)
    print(f"loss={sum(losses.values()).item():.3f}")
