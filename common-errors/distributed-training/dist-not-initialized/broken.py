import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(100, 16), torch.randint(4, (100,)))
sampler = DistributedSampler(dataset)  # error
loader = DataLoader(dataset, batch_size=32, sampler=sampler)
for inputs, labels in loader:
    print(f"inputs: {tuple(inputs.shape)}")
