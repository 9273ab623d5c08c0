import os

import torch
from torch.utils.data import DataLoader, TensorDataset

# One core, as a container or a job on a cluster may have.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
dataset = TensorDataset(torch.randn(64, 8), torch.arange(64) % 2)
cores = len(os.sched_getaffinity(0))  # those of this process; os.cpu_count() counts those of the machine
loader = DataLoader(dataset, batch_size=16, num_workers=min(4, cores))
if __name__ == "__main__":
    print("batches:", sum(1 for batch in loader))
