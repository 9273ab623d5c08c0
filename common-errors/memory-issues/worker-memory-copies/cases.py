import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Records(Dataset):
    def __init__(self, records):
        self.records, self.keys = records, list(records) if isinstance(records, dict) else range(len(records))

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return len(self.records[self.keys[index]])


def read(dataset, workers=1):
    return DataLoader(dataset, batch_size=1000, num_workers=workers, multiprocessing_context="fork" if workers else None)


# %% annotations in a dict
loader = read(Records({f"{number:06d}.jpg": f"{number:06d}" * 800 for number in range(25_000)}))
# %% fixed
import numpy as np

texts = [f"{number:06d}" * 800 for number in range(25_000)]
captions = np.array(texts, dtype="S")
loader = read(Records(captions))

# %% pairs of a label and a text
class Pairs(Records):
    def __getitem__(self, index):
        label, text = self.records[index]
        return label, len(text)


loader = read(Pairs([(number % 10, f"{number:06d}" * 800) for number in range(25_000)]))
# %% fixed
import numpy as np

captions = [f"{number:06d}" * 800 for number in range(25_000)]
captions, labels = np.array(captions, dtype="S"), torch.arange(25_000) % 10
loader = read(Records(captions))

# %% right: a tensor
loader = read(TensorDataset(torch.zeros(25_000, 1000)))

# %% right: a short list, and the files are read when they are asked for
loader = read(Records([f"images/{number:05d}.jpg" for number in range(25_000)]))

# %% undecided: no workers
loader = read(Records([f"{number:06d}" * 800 for number in range(5_000)]), workers=0)
