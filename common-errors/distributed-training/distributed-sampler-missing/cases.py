import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset

torch.set_num_threads(1)
ranks, samples, batch_size = 2, 96, 8
dataset = TensorDataset(torch.linspace(-2, 2, 96).sin()[:, None].repeat(1, 8), torch.arange(96) % 3)


def run(rank, train, port, results):
    torch.manual_seed(1)
    store = dist.TCPStore("127.0.0.1", port, ranks, rank == 0)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks)
    results.put(train(rank))
    dist.destroy_process_group()


def start(train):
    """train(rank) in two processes; what it returns on one of them: the steps of an epoch."""
    import socket

    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    results = mp.get_context("fork").SimpleQueue()
    mp.start_processes(run, (train, port, results), nprocs=ranks, start_method="fork")
    return results.get()


def fit(loader, model):
    model = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    return len(loader)


# %% a random sampler, seeded on each rank
def train(rank):
    return fit(DataLoader(dataset, batch_size, sampler=RandomSampler(dataset)), nn.Linear(8, 3))


steps = start(train)


# %% fixed
def train(rank):
    return fit(DataLoader(dataset, batch_size, sampler=DistributedSampler(dataset)), nn.Linear(8, 3))


steps = start(train)


# %% in the order of the dataset
def train(rank):
    return fit(DataLoader(dataset, batch_size), nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3)))


steps = start(train)


# %% right: each rank has a part of the data
def train(rank):
    part = torch.utils.data.Subset(dataset, range(rank, 96, ranks))
    return fit(DataLoader(part, batch_size, shuffle=True), nn.Linear(8, 3))


steps = start(train)


# %% right: a sampler that leaves out what cannot be divided
def train(rank):
    sampler = DistributedSampler(dataset, ranks, rank, drop_last=True)
    return fit(DataLoader(dataset, batch_size, sampler=sampler, drop_last=True), nn.Linear(8, 3))


steps = start(train)


# %% watched: a sampler that takes every rank for the first, in a model of words
class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(50, 8), nn.Linear(8, 3)

    def forward(self, words, mask=None):
        return self.head((self.words(words) * mask[..., None]).mean(1))


def train(rank):
    torch.manual_seed(2)
    words = TensorDataset(torch.randint(50, (64, 7)), torch.arange(64) % 3)
    model = DistributedDataParallel(Tokens())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in DataLoader(words, 8, sampler=DistributedSampler(words, num_replicas=2, rank=0)):
        loss = nn.CrossEntropyLoss()(model(inputs, mask=(inputs > 5).float()), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


start(train)
