import multiprocessing
import tempfile
import time
from datetime import timedelta

import torch
import torch.distributed as dist

batches = torch.tensor([0.9, 0.7, 0.5, 0.3, 0.1])


def own_batches(rank):
    return batches[rank::2]


def train(rank, folder):
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=timedelta(seconds=2)
    )
    for step, loss in enumerate(own_batches(rank)):
        dist.all_reduce(loss)  # error
        if rank == 0:
            print(f"step={step} loss={loss.item() / 2:.2f}")
    if rank == 1:
        time.sleep(6)  # rank 1 validates
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        other = multiprocessing.get_context("fork").Process(target=train, args=(1, folder), daemon=True)
        other.start()
        train(0, folder)
