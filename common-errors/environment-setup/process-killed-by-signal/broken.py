import tempfile
from pathlib import Path

import torch
import torch.multiprocessing as mp
from torch import nn


def train(rank, path):
    # mmap=True copies nothing: the weights stay in the file until something reads them.
    checkpoint = torch.load(path, mmap=True)
    checkpoint["epoch"] += 1
    torch.save(checkpoint, path)


if __name__ == "__main__":
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "last.pt")
    torch.save({"epoch": 3, "weights": nn.Linear(1024, 1024).state_dict()}, path)
    job = mp.spawn(train, args=(path,), nprocs=1, join=False)
    job.join()  # error
    print("epoch", torch.load(path)["epoch"])
