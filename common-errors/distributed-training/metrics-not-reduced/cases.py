import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
val_inputs, val_labels = torch.randn(96, 8), torch.randint(3, (96,))
dataset = TensorDataset(val_inputs, val_labels)
model = nn.Linear(8, 3)


def start(evaluate):
    """evaluate(rank) in two processes; what it returns on rank 0."""
    folder = tempfile.TemporaryDirectory()

    def run(rank):
        dist.init_process_group("gloo", init_method=f"file://{folder.name}/store", rank=rank, world_size=2)
        with torch.no_grad():
            result = evaluate(rank)
        dist.barrier()  # a rank that has left cannot be connected to
        dist.destroy_process_group()
        return result

    other = multiprocessing.get_context("fork").Process(target=run, args=(1,))
    other.start()
    result = run(0)
    other.join()
    return result


# %% a mean of losses, of the batches of a DistributedSampler
def evaluate(rank):
    total, count = 0.0, 0
    for inputs, labels in DataLoader(dataset, batch_size=16, sampler=DistributedSampler(dataset, shuffle=False)):
        total += nn.functional.cross_entropy(model(inputs), labels, reduction="sum").item()
        count += len(labels)
    return torch.tensor([total, count])


counts = start(evaluate)


# %% fixed
def evaluate(rank):
    total, count = 0.0, 0
    for inputs, labels in DataLoader(dataset, batch_size=16, sampler=DistributedSampler(dataset, shuffle=False)):
        total += nn.functional.cross_entropy(model(inputs), labels, reduction="sum").item()
        count += len(labels)
    counts = torch.tensor([total, count])
    dist.all_reduce(counts)
    return counts


counts = start(evaluate)


# %% a barrier, which waits for the other rank and exchanges nothing
def evaluate(rank):
    mine = torch.arange(rank, 96, 2)
    right = model(val_inputs[mine]).argmax(1) == val_labels[mine]
    dist.barrier()
    return torch.tensor([right.sum(), len(right)])


counts = start(evaluate)


# %% right: predictions are gathered, and rank 0 evaluates them
def evaluate(rank):
    mine = torch.arange(rank, 96, 2)
    parts = [None, None]
    dist.all_gather_object(parts, (model(val_inputs[mine]).argmax(1), val_labels[mine]))
    predicted, labels = (torch.cat([part[n] for part in parts]) for n in (0, 1))
    return torch.tensor([(predicted == labels).sum(), len(labels)])


counts = start(evaluate)


# %% right: rank 0 evaluates all data
def evaluate(rank):
    right = model(val_inputs).argmax(1) == val_labels
    return torch.tensor([right.sum(), len(right)])


counts = start(evaluate)
