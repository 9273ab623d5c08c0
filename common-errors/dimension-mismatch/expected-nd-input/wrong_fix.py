import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 16, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(16 * 14 * 14, 10),
)
model.eval()

photos = torch.rand(100, 28, 28)  # no channel dimension, as in MNIST.data
image = photos[0].unsqueeze(0)
with torch.inference_mode():
    logits = model(image)  # error
print(f"logits: {tuple(logits.shape)}")
