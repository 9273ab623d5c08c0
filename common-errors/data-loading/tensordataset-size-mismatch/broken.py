import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
temperature = torch.randn(1000)  # one value an hour
hours = 24
windows = temperature.unfold(0, hours, 1)  # each row: 24 hours in a row
targets = temperature[hours:]  # the hour after each window
dataset = TensorDataset(windows, targets)  # error
for inputs, target in DataLoader(dataset, batch_size=256):
    print(f"inputs: {tuple(inputs.shape)} targets: {tuple(target.shape)}")
