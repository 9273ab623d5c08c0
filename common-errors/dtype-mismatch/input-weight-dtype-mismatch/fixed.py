import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Conv2d(3, 16, kernel_size=3, padding=1).half().requires_grad_(False)  # frozen, float16 to save memory
head = nn.Conv2d(16, 4, kernel_size=1)  # trained in float32

images = torch.rand(2, 3, 32, 32)
features = torch.relu(encoder(images.half())).float()  # the dtype of the weights of head
masks = head(features)
print(f"masks: {tuple(masks.shape)} {masks.dtype}")
