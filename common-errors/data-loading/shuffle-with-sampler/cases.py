import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SubsetRandomSampler,
)

# %% a distributed sampler
dataset = list(range(12))
options = {"sampler": DistributedSampler(dataset, num_replicas=2, rank=0), "shuffle": True}
loader = DataLoader(dataset, batch_size=2, **options)

# %% a random subset
dataset = list(range(12))
options = {"sampler": SubsetRandomSampler([0, 3, 5]), "shuffle": True}
loader = DataLoader(dataset, batch_size=2, **options)

# %% indices as a sampler
dataset = list(range(12))
options = {"sampler": [5, 2, 7], "shuffle": True}
loader = DataLoader(dataset, **options)

# %% a batch sampler and a batch size
dataset = list(range(12))
options = {"batch_sampler": BatchSampler(RandomSampler(dataset), 4, False), "batch_size": 4}
loader = DataLoader(dataset, **options)
# %% fixed
dataset = list(range(12))
options = {"batch_sampler": BatchSampler(RandomSampler(dataset), 4, False)}
loader = DataLoader(dataset, **options)

# %% a batch sampler, shuffled
dataset = list(range(12))
options = {"batch_sampler": BatchSampler(RandomSampler(dataset), 4, False), "shuffle": True}
loader = DataLoader(dataset, **options)
# %% fixed
dataset = list(range(12))
options = {"batch_sampler": BatchSampler(RandomSampler(dataset), 4, False)}
loader = DataLoader(dataset, **options)


# %% message: shuffle for a stream
class Lines(IterableDataset):
    def __iter__(self):
        return iter(range(12))


loader = DataLoader(Lines(), shuffle=True)


# %% message: a sampler for a stream
class Lines(IterableDataset):
    def __iter__(self):
        return iter(range(12))


loader = DataLoader(Lines(), sampler=SubsetRandomSampler([0, 3, 5]))

# %% message: single samples, and drop_last
loader = DataLoader(list(range(12)), batch_size=None, drop_last=True)

# %% message: a sampler as the batch sampler
dataset = list(range(12))
sampler = SubsetRandomSampler([0, 3, 5])
for batch in DataLoader(dataset, batch_sampler=sampler):
    pass
# %% fixed
dataset = list(range(12))
sampler = SubsetRandomSampler([0, 3, 5])
for batch in DataLoader(dataset, batch_size=2, sampler=sampler):
    pass

# %% message: a batch sampler as the sampler
dataset = list(range(12))
sampler = BatchSampler(RandomSampler(dataset), 4, False)
for batch in DataLoader(dataset, sampler=sampler):
    pass
# %% fixed
dataset = list(range(12))
sampler = BatchSampler(RandomSampler(dataset), 4, False)
for batch in DataLoader(dataset, batch_sampler=sampler):
    pass

# %% message: the class of a sampler
dataset = list(range(12))
for batch in DataLoader(dataset, batch_size=4, sampler=RandomSampler):
    pass
# %% fixed
dataset = list(range(12))
for batch in DataLoader(dataset, batch_size=4, sampler=RandomSampler(dataset)):
    pass

# %% right: a sampler without shuffle
dataset = list(range(12))
options = {"sampler": DistributedSampler(dataset, num_replicas=2, rank=0, shuffle=True), "shuffle": False}
loader = DataLoader(dataset, batch_size=2, **options)

# %% right: shuffle without a sampler
dataset = list(range(12))
options = {"sampler": None, "shuffle": True}
loader = DataLoader(dataset, batch_size=2, **options)
