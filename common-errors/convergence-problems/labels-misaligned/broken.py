import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
# 500 noisy images with one bright square each, and the masks of the squares.
top, left = torch.randint(12, (2, 500, 1, 1, 1))
rows, columns = torch.arange(16)[:, None], torch.arange(16)
masks = ((rows >= top) & (rows < top + 5) & (columns >= left) & (columns < left + 5)).float()
images = masks + 0.5 * torch.randn(500, 1, 16, 16)

image_loader = DataLoader(images[:400], batch_size=20, shuffle=True)
mask_loader = DataLoader(masks[:400], batch_size=20, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.Conv2d(8, 1, 5, padding=2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)

for epoch in range(8):
    pairs = list(zip(image_loader, mask_loader))  # error
    for batch, target in pairs:
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.1f}")

with torch.no_grad():
    predicted, wanted = model(images[400:]) > 0, masks[400:] > 0
print(f"val_iou={((predicted & wanted).sum() / (predicted | wanted).sum()).item():.1f}")
