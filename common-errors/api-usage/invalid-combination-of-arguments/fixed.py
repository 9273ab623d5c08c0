import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(3, 8, kernel_size=3),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(8, 10),
)
photo = np.zeros((48, 64, 3), dtype=np.uint8)  # height, width, channels, as PIL and OpenCV return it
# Layers take tensors, not arrays.
image = torch.from_numpy(photo.transpose(2, 0, 1)[None].astype(np.float32) / 255)
with torch.inference_mode():
    logits = model(image)
print(f"image: {tuple(image.shape)} logits: {tuple(logits.shape)}")
