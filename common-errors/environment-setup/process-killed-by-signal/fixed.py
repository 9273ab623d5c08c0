import tempfile
from pathlib import Path

import torch
import torch.multiprocessing as mp
from torch import nn


def train(rank, path):
    # mmap=True copies nothing: the weights stay in the file until something reads them.
    checkpoint = torch.load(path, mmap=True)
    checkpoint["epoch"] += 1
    # A new file, which then takes the place of the old one: what is mapped stays as it is.
    torch.save(checkpoint, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


if __name__ == "__main__":
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "last.pt")
    torch.save({"epoch": 3, "weights": nn.Linear(1024, 1024).state_dict()}, path)
    job = mp.spawn(train, args=(path,), nprocs=1, join=False)
    job.join()
    print("epoch", torch.load(path)["epoch"])
