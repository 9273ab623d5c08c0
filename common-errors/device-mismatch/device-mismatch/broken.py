import torch
from torch import nn

# Without a GPU the meta device stands in for it: it keeps shapes and devices, but no numbers.
device = "cuda" if torch.cuda.is_available() else "meta"

model = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))
model.to(device)

images = torch.rand(32, 1, 28, 28)
# Written like the line that moves the model.
images.to(device)

scores = model(images)  # error
print(f"scores: {tuple(scores.shape)}")
