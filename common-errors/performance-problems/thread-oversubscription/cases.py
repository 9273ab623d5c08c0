import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

fork = multiprocessing.get_context("fork")


def train(rank, file, threads):
    torch.set_num_threads(threads)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    model = nn.parallel.DistributedDataParallel(nn.Linear(64, 8))
    for _ in range(3):
        model(torch.randn(32, 64)).square().mean().backward()
    dist.destroy_process_group()


def two_ranks(threads):
    with tempfile.TemporaryDirectory() as folder, fork.Pool(2) as pool:
        pool.starmap(train, [(rank, f"{folder}/store", threads) for rank in range(2)], chunksize=1)


# %% two ranks that torchrun has not started
processes, threads = 2, os.cpu_count()
two_ranks(threads)

# %% fixed
processes = 2
threads = max(1, os.cpu_count() // processes)
two_ranks(threads)

# %% a process for each core that predicts, with eight threads
def predict(seed):
    torch.set_num_threads(8)
    torch.manual_seed(seed)
    return nn.Conv2d(3, 8, 3)(torch.randn(1, 3, 32, 32)).mean().item(), torch.get_num_threads()


processes = os.cpu_count()
with ProcessPoolExecutor(processes, mp_context=fork) as pool:
    threads = max(count for _, count in pool.map(predict, range(processes)))

# %% right: the workers of a DataLoader, which have one thread each
def threads_of_worker(samples):
    return torch.get_num_threads()


processes = 2
loader = DataLoader(TensorDataset(torch.zeros(4, 1)), batch_size=2, num_workers=processes, collate_fn=threads_of_worker)
threads = max(loader)

# %% right: one process that uses all cores
processes, threads = 1, os.cpu_count()
torch.set_num_threads(threads)
nn.Linear(512, 512)(torch.randn(256, 512)).sum().backward()
