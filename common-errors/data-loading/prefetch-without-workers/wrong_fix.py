import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
num_workers = 0  # to debug in one process
dataset = TensorDataset(torch.randn(256, 8), torch.arange(256) % 2)
settings = {"batch_size": 32, "num_workers": num_workers, "prefetch_factor": 0, "persistent_workers": False}
loader = DataLoader(dataset, shuffle=True, **settings)  # error
print("batches:", len(loader))
