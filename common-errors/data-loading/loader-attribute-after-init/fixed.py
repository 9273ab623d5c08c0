import torch
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(1000, 16), torch.randint(0, 4, (1000,)))
loader = DataLoader(dataset, batch_size=32, shuffle=True)

# From the second epoch on, train on the 200 samples that were selected.
selected = Subset(dataset, torch.randperm(1000)[:200].tolist())
# A new loader: its sampler draws from 200 indices, not from 1000.
loader = DataLoader(selected, batch_size=32, shuffle=True)
print(f"batches: {len(loader)}, samples: {sum(len(labels) for _, labels in loader)}")
