import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(100, 16), torch.randint(4, (100,)))
# A single process has nobody to share the data with, so it needs no distributed sampler.
distributed = dist.is_initialized()
sampler = DistributedSampler(dataset) if distributed else None
loader = DataLoader(dataset, batch_size=32, sampler=sampler, shuffle=sampler is None)
for inputs, labels in loader:
    print(f"inputs: {tuple(inputs.shape)}")
