import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset, WeightedRandomSampler

# %% a larger batch for validation
loader = DataLoader(TensorDataset(torch.zeros(100, 3)), batch_size=16)
name, value = "batch_size", 64
setattr(loader, name, value)
# %% fixed
loader = DataLoader(TensorDataset(torch.zeros(100, 3)), batch_size=16)
name, value = "batch_size", 64
loader = DataLoader(loader.dataset, batch_size=64)

# %% the dataset grows
loader = DataLoader([1.0, 2.0, 3.0], batch_size=2)
name, value = "dataset", [1.0, 2.0, 3.0, 4.0]
setattr(loader, name, value)

# %% weights for rare classes
loader = DataLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4, shuffle=True)
name, value = "sampler", WeightedRandomSampler([1.0] * 6 + [3.0] * 2, num_samples=8)
setattr(loader, name, value)

# %% batches of one's own
loader = DataLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4)
name, value = "batch_sampler", BatchSampler(SequentialSampler(range(8)), 2, drop_last=True)
setattr(loader, name, value)

# %% without the last batch
loader = DataLoader(TensorDataset(torch.zeros(9, 3)), batch_size=4)
name, value = "drop_last", True
setattr(loader, name, value)

# %% message: workers that stay
loader = DataLoader(TensorDataset(torch.zeros(9, 3)), batch_size=4, num_workers=1)
loader.persistent_workers = True


# %% message: a loader class that sets it behind super().__init__
class ImageLoader(DataLoader):
    def __init__(self, dataset, batch_size):
        super().__init__(dataset)
        self.batch_size = batch_size


loader = ImageLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4)
# %% fixed
class ImageLoader(DataLoader):
    def __init__(self, dataset, batch_size):
        super().__init__(dataset, batch_size=batch_size)


loader = ImageLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4)

# %% right: what the dataset holds is replaced
loader = DataLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4)
loader.dataset.tensors = (torch.ones(8, 3),)
name, value = "dataset", loader.dataset

# %% right: another sampler from the start
name, value = "sampler", RandomSampler(range(8), num_samples=4)
loader = DataLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4, sampler=value)
