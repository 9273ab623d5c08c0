import itertools
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset


class Files(Dataset):
    """Texts on a network drive, which answers late from index `slow` on."""

    def __init__(self, seconds, slow=0):
        self.seconds, self.slow = seconds, slow

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index >= self.slow:
            time.sleep(self.seconds)
        return index


# %% one slow sample in the second batch
loader = DataLoader(Files(1.5, slow=7), batch_size=4, num_workers=1, timeout=1)
for batch in loader:
    pass
# %% fixed
loader = DataLoader(Files(1.5, slow=7), batch_size=4, num_workers=0, timeout=0)
for batch in loader:
    pass

# %% many samples in a batch
loader = DataLoader(Files(0.2), batch_size=8, num_workers=2, timeout=1)
for batch in loader:
    pass

# %% a sampler of the author's own
loader = DataLoader(Files(1.5), sampler=[3, 1], num_workers=1, timeout=0.5)
for batch in loader:
    pass

# %% message: a lock that a thread held when the workers were forked
lock = threading.Lock()


class Locked(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        with lock:
            return index


lock.acquire()
loader = DataLoader(Locked(), num_workers=1, timeout=1, multiprocessing_context="fork")
next(iter(loader))


# %% message: a stream that waits for its next item
class Stream(IterableDataset):
    def __iter__(self):
        for step in itertools.count():
            time.sleep(1.5 * (step == 2))
            yield step


for batch in DataLoader(Stream(), num_workers=1, timeout=1):
    pass

# %% message: no limit, as other libraries write it
loader = DataLoader(Files(0.0), num_workers=2, timeout=-1)
# %% fixed
loader = DataLoader(Files(0.0), num_workers=2, timeout=0)

# %% right: a batch that takes long, and a longer timeout
loader = DataLoader(Files(0.1), batch_size=8, num_workers=1, timeout=60)
for batch in loader:
    pass

# %% right: no timeout
loader = DataLoader(TensorDataset(torch.zeros(8, 3)), batch_size=4, num_workers=1)
for batch in loader:
    pass
