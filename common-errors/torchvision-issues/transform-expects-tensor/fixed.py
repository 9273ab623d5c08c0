import torch
from torch.utils.data import DataLoader
from torchvision.datasets import FakeData
from torchvision.transforms import Compose, Normalize, RandomHorizontalFlip, ToTensor

torch.manual_seed(0)
transform = Compose(
    [
        RandomHorizontalFlip(),
        ToTensor(),  # before Normalize, which needs floats between 0 and 1
        Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ]
)
# Like ImageFolder and CIFAR10, it hands PIL images to the transform.
dataset = FakeData(size=8, image_size=(3, 64, 64), num_classes=2, transform=transform)
for images, labels in DataLoader(dataset, batch_size=4):
    print(f"images: {tuple(images.shape)} from {images.min():.2f} to {images.max():.2f}")
