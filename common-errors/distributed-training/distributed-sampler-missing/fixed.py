import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.set_num_threads(1)  # of each process
batch_size, ranks = 16, 2


def train(rank, folder, results):
    torch.manual_seed(0)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks)
    centers, labels = torch.randn(4, 16), torch.randint(4, (512,))
    dataset = TensorDataset(centers[labels] + torch.randn(512, 16), labels, torch.arange(512))
    loader = DataLoader(dataset, batch_size, sampler=DistributedSampler(dataset))  # shuffles, a part for each rank
    model = DistributedDataParallel(nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    read = []
    for inputs, targets, indices in loader:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        read.append(indices.tolist())
    results.put((len(loader), read))
    dist.destroy_process_group()


if __name__ == "__main__":
    results = mp.get_context("fork").SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, (folder, results), nprocs=ranks, start_method="fork")
    (steps, first), (_, second) = results.get(), results.get()
    samples = 512
    print(f"steps_per_epoch={steps} different_samples_in_a_step={len({*first[0], *second[0]})}")
    print(f"passes_per_epoch={sum(map(len, first + second)) / samples:.1f}")
