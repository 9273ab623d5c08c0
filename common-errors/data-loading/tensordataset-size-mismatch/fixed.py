import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
temperature = torch.randn(1000)  # one value an hour
hours = 24
windows = temperature[:-1].unfold(0, hours, 1)  # without the last hour, after which no target follows
targets = temperature[hours:]  # the hour after each window
dataset = TensorDataset(windows, targets)
for inputs, target in DataLoader(dataset, batch_size=256):
    print(f"inputs: {tuple(inputs.shape)} targets: {tuple(target.shape)}")
