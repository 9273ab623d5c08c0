import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing import active_children
from pathlib import Path
from threading import Thread

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def resident_mib(pid):
    found = re.search(r"RssAnon:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) // 1024 if found else 0


def end_large_workers(limit_mib):
    """Stands for the out-of-memory killer of Linux."""
    while True:
        for worker in active_children():
            if resident_mib(worker.pid) > limit_mib:
                return worker.kill()
        time.sleep(0.005)


class Numbers(Dataset):
    def __len__(self):
        return 8


# %% every decoded recording is kept in a list
class Recordings(Dataset):
    decoded = []

    def __len__(self):
        return 40

    def __getitem__(self, index):
        self.decoded.append(np.full(2_000_000, index, dtype=np.float32))
        return self.decoded[-1].mean()


if __name__ == "__main__":
    Thread(target=end_large_workers, args=(resident_mib("self") + 100,), daemon=True).start()
    loader = DataLoader(Recordings(), batch_size=20, num_workers=1)
    for batch in loader:
        print(batch.shape)

# %% each sample adds to a history, with its gradient graph
weight = torch.ones(1_000_000, requires_grad=True)


class Augmented(Dataset):
    history = torch.zeros(1_000_000)

    def __len__(self):
        return 40

    def __getitem__(self, index):
        Augmented.history = self.history * weight + index
        return index


if __name__ == "__main__":
    Thread(target=end_large_workers, args=(resident_mib("self") + 60,), daemon=True).start()
    loader = DataLoader(Augmented(), batch_size=20, num_workers=1, persistent_workers=True)
    for batch in loader:
        print(batch.shape)


# %% message: a decoder reads a wrong address
class Frames(Numbers):
    def __getitem__(self, index):
        return ctypes.string_at(0)


if __name__ == "__main__":
    next(iter(DataLoader(Frames(), num_workers=1)))


# %% message: a library gives up
class Audio(Numbers):
    def __getitem__(self, index):
        ctypes.CDLL(None).abort()


if __name__ == "__main__":
    next(iter(DataLoader(Audio(), num_workers=1)))


# %% message: a job scheduler ends the job
class Slow(Numbers):
    def __getitem__(self, index):
        subprocess.run(["kill", str(os.getpid())])
        time.sleep(1)


if __name__ == "__main__":
    next(iter(DataLoader(Slow(), num_workers=1)))


# %% message: an alarm in the dataset
class Downloads(Numbers):
    def __getitem__(self, index):
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(1)


if __name__ == "__main__":
    next(iter(DataLoader(Downloads(), num_workers=1)))


# %% message: a sample that ends the process
class Shards(Numbers):
    def __getitem__(self, index):
        if not Path("shards").is_dir():
            sys.exit("no folder named shards")


if __name__ == "__main__":
    next(iter(DataLoader(Shards(), num_workers=1)))
# %% fixed


class Shards(Numbers):
    def __getitem__(self, index):
        return index if not Path("shards").is_dir() else -1


if __name__ == "__main__":
    next(iter(DataLoader(Shards(), num_workers=1)))


# %% message: a sample that ends the process with another code
class Licensed(Numbers):
    def __getitem__(self, index):
        sys.exit(3)


if __name__ == "__main__":
    next(iter(DataLoader(Licensed(), num_workers=1)))


# %% message: a sample that ends the process without an error
class Finite(Numbers):
    def __getitem__(self, index):
        sys.exit(0)


if __name__ == "__main__":
    next(iter(DataLoader(Finite(), num_workers=1)))


# %% right: large samples, of which none is kept
class Images(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return np.full(2_000_000, index, dtype=np.float32).mean()


if __name__ == "__main__":
    loader = DataLoader(Images(), batch_size=12, num_workers=1)
    for batch in loader:
        print(batch.shape)


# %% right: a file that is mapped, whose pages Linux can drop
class Mapped(Dataset):
    def __init__(self):
        self.file = tempfile.TemporaryFile()
        self.file.truncate(24 * 4_000_000)
        self.rows = np.memmap(self.file, dtype=np.float32, mode="r", shape=(24, 1_000_000))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index].mean()


loader = DataLoader(Mapped(), batch_size=12)
for batch in loader:
    print(batch.shape)


# %% right: a cache that stays small
class Cached(Dataset):
    cache = {}

    def __len__(self):
        return 40

    def __getitem__(self, index):
        self.cache[index % 4] = np.full(2_000_000, index, dtype=np.float32)
        return self.cache[index % 4].mean()


loader = DataLoader(Cached(), batch_size=20)
for batch in loader:
    print(batch.shape)
