import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

dataset = TensorDataset(torch.randn(64, 4), torch.arange(64) % 2)

# %% workers left out
settings = {"prefetch_factor": 2}
loader = DataLoader(dataset, batch_size=8, **settings)
# %% fixed
num_workers = 2
settings = {"num_workers": num_workers, "prefetch_factor": 2 if num_workers > 0 else None}
loader = DataLoader(dataset, batch_size=8, **settings)

# %% workers that should stay alive
settings = {"num_workers": 0, "persistent_workers": True}
loader = DataLoader(dataset, batch_size=8, **settings)
# %% fixed
num_workers = 0
settings = {"num_workers": num_workers, "persistent_workers": num_workers > 0}
loader = DataLoader(dataset, batch_size=8, **settings)

# %% a start method for the workers
settings = {"num_workers": 0, "multiprocessing_context": "spawn"}
loader = DataLoader(dataset, batch_size=8, **settings)
# %% fixed
num_workers = 0
settings = {"num_workers": num_workers, "multiprocessing_context": "spawn" if num_workers > 0 else None}
loader = DataLoader(dataset, batch_size=8, **settings)


# %% a stream
class Lines(IterableDataset):
    def __iter__(self):
        return iter(range(64))


settings = {"batch_size": 4, "prefetch_factor": 8}
loader = DataLoader(Lines(), **settings)


# %% fixed
class Lines(IterableDataset):
    def __iter__(self):
        return iter(range(64))


num_workers = 0
settings = {"batch_size": 4, "prefetch_factor": 2 if num_workers > 0 else None}
loader = DataLoader(Lines(), **settings)

# %% a configuration for a machine without spare cores
workers_per_gpu = 0
settings = {"num_workers": workers_per_gpu, "pin_memory": False, "persistent_workers": True, "batch_size": 16}
loader = DataLoader(dataset, **settings)

# %% fixed
num_workers = 0
settings = {"num_workers": num_workers, "persistent_workers": num_workers > 0, "batch_size": 16}
loader = DataLoader(dataset, **settings)

# %% message: a time limit for workers
settings = {"timeout": 60}
next(iter(DataLoader(dataset, batch_size=8, **settings)))

# %% fixed
num_workers = 0
settings = {"num_workers": num_workers, "timeout": 60 if num_workers > 0 else 0}
next(iter(DataLoader(dataset, batch_size=8, **settings)))

# %% message: workers that load nothing in advance
next(iter(DataLoader(dataset, batch_size=8, num_workers=1, prefetch_factor=0)))

# %% message: a negative number of batches
loader = DataLoader(dataset, batch_size=8, num_workers=1, prefetch_factor=-1)

# %% right: workers that prefetch
settings = {"num_workers": 1, "prefetch_factor": 4, "persistent_workers": True}
loader = DataLoader(dataset, batch_size=8, **settings)

# %% right: no workers and none of their options
settings = {"num_workers": 0, "timeout": 0.0}
loader = DataLoader(dataset, batch_size=8, **settings)
