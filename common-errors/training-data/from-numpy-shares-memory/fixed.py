import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
labels = torch.randint(4, (800,))
# Each recording is a sine wave of one of four frequencies, with noise, stored as 16-bit integers.
waves = torch.sin((labels[:, None] + 2) * torch.linspace(0, 12, 64)) + 0.3 * torch.randn(800, 64)
stored = (waves * 8000).short().numpy()


class Recordings(Dataset):
    def __init__(self):
        self.buffer = np.empty(64, dtype=np.float32)  # allocated once, to save time

    def __len__(self):
        return 600

    def __getitem__(self, index):
        np.divide(stored[index], 8000, out=self.buffer)
        return torch.tensor(self.buffer), labels[index]  # torch.tensor copies


model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
dataset = Recordings()
for epoch in range(12):
    for inputs, targets in DataLoader(dataset, batch_size=100, shuffle=True):
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

with torch.no_grad():
    predicted = model(waves[600:]).argmax(1)
print(f"test_error={(predicted != labels[600:]).float().mean().item():.3f}")
