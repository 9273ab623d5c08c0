import torch
from torch import nn

torch.manual_seed(0)
# The discriminator of a DCGAN for images of 64 pixels
discriminator = nn.Sequential(
    nn.Conv2d(3, 32, kernel_size=4, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(32, 64, kernel_size=4, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(64, 128, kernel_size=4, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(128, 256, kernel_size=4, stride=2, padding=1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(256, 1, kernel_size=4),
)
images = torch.rand(16, 3, 32, 32)  # CIFAR-10
logits = discriminator(images).flatten()  # error
print(f"logits: {tuple(logits.shape)}")
