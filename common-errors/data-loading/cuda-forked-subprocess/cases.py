import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, default_collate

fork = multiprocessing.get_context("fork")
samples = list(torch.rand(8, 16))
torch.cuda.is_available()  # asks CUDA, as most programs do


# %% the collate_fn moves the batch to the GPU
def collate(samples):
    return default_collate(samples).cuda()


loader = DataLoader(samples, batch_size=4, num_workers=1, collate_fn=collate, multiprocessing_context="fork")
work = partial(collate, samples[:4])
next(iter(loader))


# %% features by a network inside the dataset
class Features(Dataset):
    def __init__(self):
        self.encoder = nn.Linear(16, 4)

    def __len__(self):
        return 8

    def __getitem__(self, index):
        with torch.no_grad():
            return self.encoder.to("cuda:0")(samples[index].to("cuda:0"))


loader = DataLoader(Features(), batch_size=4, num_workers=1, multiprocessing_context="fork")
next(iter(loader))


# %% a pool that embeds texts
def embed(index):
    return torch.zeros(16, device="cuda") + index


work = partial(embed, 0)
with fork.Pool(1) as pool:
    pool.map(embed, range(4))


# %% an executor that only asks for the GPU's name
def describe():
    return torch.cuda.get_device_name(0)


work = describe
with ProcessPoolExecutor(1, mp_context=fork) as executor:
    executor.submit(describe).result()


# %% message: workers that choose a GPU when they start
def choose(worker_id):
    torch.cuda.set_device(worker_id)


next(iter(DataLoader(samples, num_workers=1, worker_init_fn=choose, multiprocessing_context="fork")))

# %% right: the training loop moves the batch
device = "cuda" if torch.cuda.is_available() else "cpu"
loader = DataLoader(samples, batch_size=4, num_workers=1, multiprocessing_context="fork")
for batch in loader:
    print(batch.to(device).shape)
