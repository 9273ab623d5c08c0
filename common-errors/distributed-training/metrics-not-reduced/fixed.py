import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
torch.set_num_threads(1)  # of each process
centers = 2 * torch.randn(8, 16)
labels, val_labels = torch.randint(8, (1600,)), torch.arange(800) // 100  # the validation data are sorted by class
noise = torch.tensor([0.5, 0.5, 0.5, 0.5, 9, 9, 9, 9])  # the later classes are hard
inputs = centers[labels] + noise[labels, None] * torch.randn(1600, 16)
val_inputs = centers[val_labels] + noise[val_labels, None] * torch.randn(800, 16)


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 8)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for batch in torch.arange(rank, 1600, 2).split(32) * 2:
        loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    mine = slice(400 * rank, 400 * rank + 400)  # each rank evaluates a half
    with torch.no_grad():
        right = model.module(val_inputs[mine]).argmax(1) == val_labels[mine]
        right_of_all = model.module(val_inputs).argmax(1) == val_labels
    counts = torch.tensor([right.sum(), len(right)])
    dist.all_reduce(counts)  # the sums over all ranks
    accuracy = (counts[0] / counts[1]).item()
    if rank == 0:
        print(f"val_accuracy={accuracy:.1f} of_all_samples={right_of_all.float().mean():.1f}")
    dist.destroy_process_group()
    return counts, abs(accuracy - right_of_all.float().mean().item())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        other = multiprocessing.get_context("fork").Process(target=train, args=(1, folder))
        other.start()
        counts, off_by = train(0, folder)
        other.join()
    print(f"off_by={off_by:.2f}")
