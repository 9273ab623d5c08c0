import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 10, kernel_size=3)
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, images):
        return self.pool(self.conv(images)).squeeze()


torch.manual_seed(0)
images, labels = torch.rand(33, 3, 32, 32), torch.randint(10, (33,))
loader = DataLoader(TensorDataset(images, labels), batch_size=16)
model = SmallNet().eval()
correct = 0
with torch.inference_mode():
    for batch, batch_labels in loader:
        logits = model(batch)
        predictions = logits.argmax(dim=1)  # error
        correct += (predictions == batch_labels).sum().item()
print(f"images: {len(labels)} batches: {len(loader)} last batch: {tuple(logits.shape)}")
