import resource

import torch
from torch.utils.data import DataLoader, TensorDataset

# What `ulimit -n 64` does; common limits are 1024 on Linux and 256 on macOS.
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
torch.manual_seed(0)
dataset = TensorDataset(torch.randn(400, 2), torch.arange(400) % 2)
labels = []
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    for inputs, batch_labels in loader:
        labels.append(batch_labels.clone())  # a copy: the worker's tensor, and its open file, is released
    print(f"labels: {tuple(torch.cat(labels).shape)}")
