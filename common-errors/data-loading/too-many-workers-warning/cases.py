import os

import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, random_split

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core, as a container may have
dataset = TensorDataset(torch.randn(32, 4), torch.arange(32) % 2)

# %% eight workers from a recipe
loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=8)
# %% fixed
loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=1)

# %% workers that stay alive
loader = DataLoader(dataset, batch_size=8, num_workers=2, persistent_workers=True, prefetch_factor=4)
# %% fixed
loader = DataLoader(dataset, batch_size=8, num_workers=1, persistent_workers=True, prefetch_factor=4)

# %% a loader for the validation
train, validation = random_split(dataset, [24, 8])
loader = DataLoader(validation, num_workers=16)
# %% fixed
train, validation = random_split(dataset, [24, 8])
loader = DataLoader(validation, num_workers=1)


# %% a stream
class Lines(IterableDataset):
    def __iter__(self):
        return iter(range(8))


loader = DataLoader(Lines(), num_workers=3)


# %% fixed
class Lines(IterableDataset):
    def __iter__(self):
        return iter(range(8))


loader = DataLoader(Lines(), num_workers=1)

# %% four workers for each of eight GPUs
workers_per_gpu, gpus = 4, 8
loader = DataLoader(dataset, batch_size=8, num_workers=workers_per_gpu * gpus)
# %% fixed
loader = DataLoader(dataset, batch_size=8, num_workers=1)

# %% right: no workers
loader = DataLoader(dataset, batch_size=8)

# %% right: as many as there are cores
loader = DataLoader(dataset, batch_size=8, num_workers=len(os.sched_getaffinity(0)))
