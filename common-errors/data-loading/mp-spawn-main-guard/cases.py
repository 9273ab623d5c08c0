import multiprocessing
import sys


# %% main() is called without a condition
import torch.multiprocessing as mp


def train(rank, world_size):
    print(f"rank {rank} of {world_size}")


def main():
    mp.spawn(train, args=(2,), nprocs=2)


main()

# %% a pool that prepares the samples
from concurrent.futures import ProcessPoolExecutor


def count_words(text):
    return len(text.split())


with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
    print(list(pool.map(count_words, ["as described", "too small"])))


# %% a process of its own
def evaluate(path):
    print("evaluating", path)


process = multiprocessing.get_context("spawn").Process(target=evaluate, args=("last.pt",))
process.start()
process.join()
sys.exit(process.exitcode)


# %% the start method is set outside the guard, too
def evaluate(path):
    print("evaluating", path)


multiprocessing.set_start_method("spawn")
process = multiprocessing.Process(target=evaluate, args=("last.pt",))
process.start()
process.join()
sys.exit(process.exitcode)
# %% fixed


def evaluate(path):
    print("evaluating", path)


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    process = multiprocessing.Process(target=evaluate, args=("last.pt",))
    process.start()
    process.join()

# %% a list that processes share
losses = multiprocessing.get_context("spawn").Manager().list()

# %% a DataLoader, as on Windows and macOS
from torch.utils.data import DataLoader

loader = DataLoader(range(8), batch_size=4, num_workers=1, multiprocessing_context="spawn")
for batch in loader:
    print(batch)

# %% a DataLoader, as on Linux from Python 3.14
from torch.utils.data import DataLoader

loader = DataLoader(range(8), batch_size=4, num_workers=1, multiprocessing_context="forkserver")
for batch in loader:
    print(batch)

# %% message: the function ends its process
from pathlib import Path

import torch.multiprocessing as mp


def train(rank, folder):
    if not Path(folder).is_dir():
        sys.exit(f"{folder} is no folder")


if __name__ == "__main__":
    mp.spawn(train, args=("photos",), nprocs=1)
# %% fixed
from pathlib import Path

import torch.multiprocessing as mp


def train(rank, folder):
    if not Path(folder).is_dir():
        print(f"{folder} is no folder; nothing to do")


if __name__ == "__main__":
    mp.spawn(train, args=("photos",), nprocs=1)

# %% message: the function ends its process with another code
import torch.multiprocessing as mp


def train(rank):
    sys.exit(3)


if __name__ == "__main__":
    mp.spawn(train, nprocs=1)

# %% right: workers are started under the condition
from torch.utils.data import DataLoader

if __name__ == "__main__":
    loader = DataLoader(range(8), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    for batch in loader:
        print(batch)

# %% right: no condition, and no process
from torch.utils.data import DataLoader

loader = DataLoader(range(8), batch_size=4)
for batch in loader:
    print(batch)
