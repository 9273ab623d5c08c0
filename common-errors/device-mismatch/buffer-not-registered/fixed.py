import torch
from torch import nn


class Normalize(nn.Module):
    def __init__(self):
        super().__init__()
        # Buffers move with the module; plain attributes stay where they were created.
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1))
        self.register_buffer("std", torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1))

    def forward(self, images):
        return (images - self.mean) / self.std


device = "meta"  # stands for "cuda": its tensors have a device and a shape, but need no GPU
model = nn.Sequential(Normalize(), nn.Conv2d(3, 8, kernel_size=3), nn.ReLU()).to(device)
images = torch.rand(4, 3, 32, 32, device=device)
print(f"features: {tuple(model(images).shape)}")
