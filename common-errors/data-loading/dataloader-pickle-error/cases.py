import multiprocessing
import sqlite3
import sys
import threading
from collections import namedtuple
from functools import partial

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, **attributes):
        vars(self).update(attributes)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


# %% a collate_fn inside main()
def main():
    def collate(samples):
        return torch.tensor(samples)

    return DataLoader(Rows(), batch_size=2, num_workers=1, collate_fn=collate, multiprocessing_context="spawn")


if __name__ == "__main__":
    loader = main()
    next(iter(loader))

# %% a lambda at the top level
if __name__ == "__main__":
    dataset = Rows(transform=lambda photo: photo / 255)
    loader = DataLoader(dataset, num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))

# %% a worker_init_fn with a seed
if __name__ == "__main__":
    seed_worker = lambda worker: torch.manual_seed(7 + worker)
    loader = DataLoader(Rows(), num_workers=1, worker_init_fn=seed_worker, multiprocessing_context="spawn")
    next(iter(loader))

# %% a dataset class inside a function


def make_dataset(values):
    class Values(Dataset):
        def __len__(self):
            return len(values)

        def __getitem__(self, index):
            return values[index]

    return Values()


if __name__ == "__main__":
    loader = DataLoader(make_dataset([1, 2, 3]), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))

# %% a named tuple under another name
Box = namedtuple("BoundingBox", "left top width height")
if __name__ == "__main__":
    loader = DataLoader(Rows(boxes=[Box(0, 0, 4, 4)]), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))

# %% an open file
if __name__ == "__main__":
    loader = DataLoader(Rows(file=open(__file__)), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))

# %% fixed


class Lines(Dataset):
    file = None

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.file = self.file or open(__file__)
        return self.file.readline()


if __name__ == "__main__":
    loader = DataLoader(Lines(), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))

# %% a connection to a database
if __name__ == "__main__":
    loader = DataLoader(Rows(database=sqlite3.connect(":memory:")), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))
# %% fixed


class Table(Dataset):
    database = None

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.database = self.database or sqlite3.connect(":memory:")
        return self.database.execute("select ?", [index]).fetchone()[0]


if __name__ == "__main__":
    loader = DataLoader(Table(), num_workers=1, multiprocessing_context="spawn")
    print(next(iter(loader)))

# %% a lock in the dataset
if __name__ == "__main__":
    loader = DataLoader(Rows(lock=threading.Lock()), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))
# %% fixed
if __name__ == "__main__":
    loader = DataLoader(Rows(), num_workers=0)
    print(next(iter(loader)))

# %% a generator of file names
if __name__ == "__main__":
    names = (f"{number}.jpg" for number in range(4))
    loader = DataLoader(Rows(names=names), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))
# %% a module in an attribute
if __name__ == "__main__":
    loader = DataLoader(Rows(random=torch.random), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))

# %% the classes of a dictionary
if __name__ == "__main__":
    loader = DataLoader(Rows(classes={"cat": 0, "dog": 1}.keys()), num_workers=1, multiprocessing_context="spawn")
    next(iter(loader))

# %% message: a lambda for mp.spawn
if __name__ == "__main__":
    torch.multiprocessing.spawn(lambda rank: print(rank), nprocs=1)

# %% message: a function that only the first process defines
if __name__ == "__main__":

    def evaluate():
        print("evaluating")

    process = multiprocessing.get_context("spawn").Process(target=evaluate)
    process.start()
    process.join()
    sys.exit(process.exitcode)
# %% fixed


def evaluate():
    print("evaluating")


if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=evaluate)
    process.start()
    process.join()
    sys.exit(process.exitcode)

# %% right: a function of the module with a value, and a counter that processes share


def collate(samples, factor):
    return torch.tensor(samples) * factor


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    dataset = Rows(seen=context.Value("i", 0))
    loader = DataLoader(dataset, num_workers=1, collate_fn=partial(collate, factor=2), multiprocessing_context="spawn")
    print(next(iter(loader)))

# %% right: a lambda, and no worker
if __name__ == "__main__":
    loader = DataLoader(Rows(transform=lambda photo: photo / 255), batch_size=2)
    print(next(iter(loader)))

# %% right: a list of numbers as the dataset
if __name__ == "__main__":
    loader = DataLoader([1, 2, 3], batch_size=2)
    print(next(iter(loader)))
