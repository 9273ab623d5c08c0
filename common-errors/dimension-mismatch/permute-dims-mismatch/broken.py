import numpy as np
import torch
from torchvision.datasets import FakeData

torch.manual_seed(0)
scans = FakeData(size=4, image_size=(1, 64, 64), num_classes=2)  # grayscale PIL images
images = []
for scan, label in scans:
    pixels = torch.from_numpy(np.array(scan))
    images.append(pixels.permute(2, 0, 1) / 255)  # error
batch = torch.stack(images)
print(f"batch: {tuple(batch.shape)}")
