import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# Scans of 32 x 32 pixels with one faint spot each, and the mask of the spot; (samples, channels, height, width).
rows, columns = torch.meshgrid(torch.arange(32), torch.arange(32), indexing="ij")
centers = torch.randint(4, 28, (2, 260, 1, 1, 1))
masks = ((rows - centers[0]) ** 2 + (columns - centers[1]) ** 2 < 10).float()
scans = 0.5 * masks + torch.randn(260, 1, 32, 32)
train_set, test_set = TensorDataset(scans[:200], masks[:200]), TensorDataset(scans[200:], masks[200:])

model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def dice(found, true):  # the mean of the images' overlap: 1 where both masks agree
    found, true = found.squeeze().flatten(1), true.squeeze().flatten(1)  # error
    return ((2 * (found * true).sum(dim=1) + 1) / (found.sum(dim=1) + true.sum(dim=1) + 1)).mean().item()


for epoch in range(3):
    for batch, true in DataLoader(train_set, batch_size=20, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch), true)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        scores = [dice((model(scan) > 0).float(), true) for scan, true in DataLoader(test_set, batch_size=1)]
    print(f"epoch={epoch} loss={loss.item():.2f} dice={sum(scores) / len(scores):.2f}")

print(f"dice={sum(scores) / len(scores):.4f}")
