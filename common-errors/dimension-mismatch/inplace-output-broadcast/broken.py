import torch
from torchvision import transforms
from torchvision.datasets import FakeData

torch.manual_seed(0)
transform = transforms.Compose(
    [
        transforms.ToTensor(),
        transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    ]
)
# Grayscale images of 28 x 28 like MNIST, without the download
digits = FakeData(size=100, image_size=(1, 28, 28), num_classes=10, transform=transform)
image, label = digits[0]  # error
print(f"image: {tuple(image.shape)}")
