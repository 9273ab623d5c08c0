import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
features = torch.randn(64, 8)
species = torch.randint(3, (64, 1))  # a column of a table, so it has two dimensions
loader = DataLoader(TensorDataset(features, species), batch_size=32)

model = nn.Linear(8, 3)
inputs, labels = next(iter(loader))
logits = model(inputs)
loss = nn.functional.cross_entropy(logits, labels)  # error
print(f"loss={loss.item():.3f}")
