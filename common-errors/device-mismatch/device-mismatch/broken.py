import torch
from torch import nn

# Without a GPU, the meta device replaces it: its tensors have shapes and a device but no numbers.
device = "cuda" if torch.cuda.is_available() else "meta"

model = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))
model.to(device)

images = torch.rand(32, 1, 28, 28)
images.to(device)  # written like the line that moves the model

logits = model(images)  # error
print(f"logits: {tuple(logits.shape)}")
