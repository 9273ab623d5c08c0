import numpy as np
import torch
from torch import nn
from torchvision.transforms import v2

torch.manual_seed(0)
# Photos of strawberries, oranges, limes and blueberries.
colors = torch.tensor([[0.8, 0.2, 0.3], [0.9, 0.6, 0.1], [0.4, 0.8, 0.2], [0.3, 0.3, 0.8]])
labels = torch.randint(4, (400,))
noise = 0.3 * torch.rand(400, 16, 16, 1) + 0.1 * torch.rand(400, 16, 16, 3)
pixels = (255 * (0.6 * colors[labels][:, None, None] + noise)).byte().permute(0, 3, 1, 2)
photos = [v2.functional.to_pil_image(photo) for photo in pixels]  # RGB


def camera(photo):
    """What `cv2.VideoCapture.read` and `cv2.imread` return: (height, width, 3), in the order blue, green, red."""
    return np.frombuffer(photo.tobytes("raw", "BGR"), np.uint8).reshape(photo.height, photo.width, 3).copy()


prepare = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.25] * 3)])
inputs = torch.stack([prepare(photo) for photo in photos[:300]])
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(100):
    loss = nn.functional.cross_entropy(model(inputs), labels[:300])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step in (0, 99):
        print(f"step={step} loss={loss.item():.1f}")

frames = [camera(photo) for photo in photos[300:]]
live = torch.stack([prepare(frame) for frame in frames])  # error
with torch.no_grad():
    answers = model(live).argmax(1)
train_image, live_image = prepare(photos[300]), live[0]  # one photo, both ways
print(
    "answers to strawberries:", ["strawberry", "orange", "lime", "blueberry"][answers[labels[300:] == 0].mode().values]
)
print(f"live_accuracy={(answers == labels[300:]).float().mean().item():.2f}")
