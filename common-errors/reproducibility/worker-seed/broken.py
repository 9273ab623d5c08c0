import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
line = np.sin(np.linspace(0, 9, 100)) / 5  # what one unit of a substance adds to a spectrum


class SimulatedSpectra(Dataset):
    """Training data without end: every sample is simulated when it is read."""

    def __init__(self):
        self.rng = np.random.default_rng(torch.initial_seed())  # error

    def __len__(self):
        return 200

    def __getitem__(self, index):
        amount = self.rng.normal()
        spectrum = amount * line + self.rng.normal(size=100)
        return torch.tensor(spectrum, dtype=torch.float32), torch.tensor([amount], dtype=torch.float32)


loader = DataLoader(SimulatedSpectra(), batch_size=20, num_workers=2)
model = nn.Linear(100, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(10):
    losses = []
    for spectra, amounts in loader:
        loss = nn.functional.mse_loss(model(spectra), amounts)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        amounts = torch.randn(1000, 1)
        spectra = amounts * torch.tensor(line, dtype=torch.float32) + torch.randn(1000, 100)
        val_loss = nn.functional.mse_loss(model(spectra), amounts).item()
    train_loss = sum(losses) / len(losses)
    print(f"epoch={epoch} train_loss={train_loss:.1f} val_loss={val_loss:.1f}")
print(f"val_to_train_loss={val_loss / train_loss:.0f}")
