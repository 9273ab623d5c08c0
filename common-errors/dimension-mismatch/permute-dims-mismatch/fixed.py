import numpy as np
import torch
from torchvision.datasets import FakeData

torch.manual_seed(0)
scans = FakeData(size=4, image_size=(1, 64, 64), num_classes=2)  # grayscale PIL images
images = []
for scan, label in scans:
    # A grayscale image has no dimension for channels; as RGB every image is height x width x 3.
    pixels = torch.from_numpy(np.array(scan.convert("RGB")))
    images.append(pixels.permute(2, 0, 1) / 255)
batch = torch.stack(images)
print(f"batch: {tuple(batch.shape)}")
