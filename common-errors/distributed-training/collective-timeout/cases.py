import multiprocessing
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def start(train, seconds=4):
    """train(rank) in two processes, with this timeout."""
    folder = tempfile.TemporaryDirectory()

    def run(rank):
        timeout, store = timedelta(seconds=seconds), f"file://{folder.name}/store"
        dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2, timeout=timeout)
        train(rank)

    other = multiprocessing.get_context("fork").Process(target=run, args=(1,), daemon=True)
    other.start()
    run(0)
    other.join()


# %% DDP with seven batches for two ranks
batches = torch.rand(7, 4, 8)


def train(rank):
    model = DistributedDataParallel(nn.Linear(8, 2))
    for batch in batches[rank::2]:
        model(batch).sum().backward()
    if rank == 1:
        multiprocessing.Event().wait(12)


steps = [len(batches[rank::2]) for rank in range(2)]
start(train)

# %% metrics summed after every file, one more on rank 0
files = [["a.pt", "b.pt"], ["c.pt"]]


def evaluate(rank):
    for _ in files[rank]:
        dist.all_reduce(torch.rand(1))
    if rank == 1:
        multiprocessing.Event().wait(12)


steps = [len(own) for own in files]
start(evaluate)

# %% message: a barrier on rank 0 only
def save(rank):
    if rank == 0:
        dist.barrier()
    else:
        multiprocessing.Event().wait(12)


start(save)

# %% message: a tensor that rank 1 never sends
def receive(rank):
    if rank == 0:
        dist.recv(torch.zeros(3), src=1)
    else:
        multiprocessing.Event().wait(12)


start(receive)

# %% message: a monitored barrier
def check(rank):
    if rank == 0:
        dist.monitored_barrier(timeout=timedelta(seconds=1))
    else:
        multiprocessing.Event().wait(12)


start(check)

# %% right: a DistributedSampler gives every rank as many batches
dataset = torch.rand(7, 8)
loaders = [DataLoader(dataset, 2, sampler=DistributedSampler(dataset, 2, rank)) for rank in range(2)]


def fit(rank):
    model = DistributedDataParallel(nn.Linear(8, 2))
    for batch in loaders[rank]:
        model(batch).sum().backward()


steps = [len(loader) for loader in loaders]
start(fit, seconds=60)
