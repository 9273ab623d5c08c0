import contextlib
import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
torch.set_num_threads(1)
inputs, targets = torch.randn(64, 6, 8), torch.randn(64, 1)


def start(train):
    """train(rank) in two processes, which returns a module; the sum of its absolute weights on each rank."""
    folder = tempfile.TemporaryDirectory()

    def run(rank):
        dist.init_process_group("gloo", init_method=f"file://{folder.name}/store", rank=rank, world_size=2)
        weights = nn.utils.parameters_to_vector(train(rank).parameters()).double().abs().sum().item()
        sums = [0.0, 0.0]
        dist.all_gather_object(sums, weights)
        dist.destroy_process_group()
        return sums

    other = multiprocessing.get_context("fork").Process(target=run, args=(1,))
    other.start()
    sums = run(0)
    other.join()
    return sums


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, inputs):
        return self.head(self.rnn(inputs)[0][:, -1])

    def encode(self, inputs):
        return self.rnn(inputs)[0][:, -1]


def batches(rank):
    return torch.arange(rank, 64, 2).repeat(3).split(8)


# %% a second name for the module, trained with Adam
def train(rank):
    network = Regressor()
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters())
    for rows in batches(rank):
        loss = F.mse_loss(network(inputs[rows]), targets[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


sums = start(train)


# %% fixed
def train(rank):
    network = Regressor()
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters())
    for rows in batches(rank):
        loss = F.mse_loss(model(inputs[rows]), targets[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


sums = start(train)


# %% methods of the module, with accumulated and clipped gradients
def train(rank):
    model = DistributedDataParallel(Regressor())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for number, rows in enumerate(batches(rank) * 2):
        features = model.module.encode(inputs[rows])
        (F.l1_loss(model.module.head(features), targets[rows]) / 2).backward()
        if number % 2:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    return model


sums = start(train)


# %% watched: policy gradients, whose actions are drawn by the wrapper, with a metric averaged in each step
def train(rank):
    model = DistributedDataParallel(Regressor())
    optimizer = torch.optim.Adam(model.parameters())
    for rows in batches(rank):
        with torch.no_grad():
            actions = model(inputs[rows]) + torch.randn(len(rows), 1)
        loss = ((actions - model.module(inputs[rows])).square() * targets[rows]).mean()
        optimizer.zero_grad()
        loss.backward()
        metric = torch.stack([loss.detach(), actions.mean(), targets[rows].mean()])
        dist.all_reduce(metric)
        optimizer.step()
    return model


sums = start(train)


# %% right: no_sync in all but the last pass, and an evaluation of the module
def train(rank):
    model = DistributedDataParallel(Regressor())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for number, rows in enumerate(batches(rank) * 2):
        with contextlib.nullcontext() if number % 2 else model.no_sync():
            (F.mse_loss(model(inputs[rows]), targets[rows]) / 2).backward()
        if number % 2:
            optimizer.step()
            optimizer.zero_grad()
            with torch.no_grad():
                model.module(inputs[:8])
    return model


sums = start(train)


# %% right: the program averages the gradients itself
def train(rank):
    model = DistributedDataParallel(Regressor())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for rows in batches(rank):
        optimizer.zero_grad()
        F.mse_loss(model.module(inputs[rows]), targets[rows]).backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
            parameter.grad /= 2
        optimizer.step()
    return model


sums = start(train)


# %% right: the same actions, and the wrapper computes the loss
def train(rank):
    model = DistributedDataParallel(Regressor())
    optimizer = torch.optim.Adam(model.parameters())
    for rows in batches(rank):
        with torch.no_grad():
            actions = model.module(inputs[rows]) + torch.randn(len(rows), 1)
        optimizer.zero_grad()
        ((actions - model(inputs[rows])).square() * targets[rows]).mean().backward()
        dist.all_reduce(actions.mean())
        optimizer.step()
    return model


sums = start(train)


# %% right: a term for the module's weights besides the pass of the wrapper
def train(rank):
    model = DistributedDataParallel(Regressor())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for rows in batches(rank):
        loss = F.mse_loss(model(inputs[rows]), targets[rows])
        optimizer.zero_grad()
        (loss + 1e-3 * model.module.head.weight.square().sum()).backward()
        optimizer.step()
    return model


sums = start(train)


# %% right: local SGD, which averages the weights after each twelve steps
def train(rank):
    model = DistributedDataParallel(Regressor())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for number, rows in enumerate(batches(rank) * 2):
        optimizer.zero_grad()
        F.mse_loss(model.module(inputs[rows]), targets[rows]).backward()
        optimizer.step()
        if number % 12 == 11:
            for parameter in model.parameters():
                dist.all_reduce(parameter.data)
                parameter.data /= 2
    return model


sums = start(train)
