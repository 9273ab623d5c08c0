import io
import os

import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate

# %% a label that is not in the list of classes
class_to_index = {"cat": 0, "dog": 1}


class Pets(Dataset):
    labels = ["cat", "dog", "rabbit"]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return torch.rand(3, 8, 8), class_to_index[self.labels[index]]


if __name__ == "__main__":
    loader = DataLoader(Pets(), batch_size=2, num_workers=1)
    for images, labels in loader:
        print(labels)

# %% a download that is a web page, not an image


class Downloads(Dataset):
    files = [b"<html>404</html>"]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return Image.open(io.BytesIO(self.files[index])).convert("RGB")


if __name__ == "__main__":
    loader = DataLoader(Downloads(), batch_size=1, num_workers=1)
    next(iter(loader))

# %% the collate_fn expects another field


def collate(samples):
    return torch.stack([sample["image"] for sample in samples]), torch.stack([sample["mask"] for sample in samples])


if __name__ == "__main__":
    samples = [{"image": torch.rand(3, 8, 8), "label": 0}] * 4
    loader = DataLoader(samples, batch_size=4, num_workers=1, collate_fn=collate)
    next(iter(loader))

# %% a text file in another encoding


class Lines(Dataset):
    lines = ["über".encode("latin-1")]

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        return self.lines[index].decode("utf-8")


if __name__ == "__main__":
    loader = DataLoader(Lines(), num_workers=1)
    next(iter(loader))

# %% the length is that of another list


class Pairs(Dataset):
    def __init__(self, names, ages):
        self.names, self.ages = names, ages

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return self.names[index], self.ages[index]


if __name__ == "__main__":
    loader = DataLoader(Pairs(["a", "b", "c"], [31, 54]), batch_size=2, num_workers=1)
    for names, ages in loader:
        print(names)

# %% message: in the function that sets a worker up


def set_up(worker_id):
    os.environ["SHARD_" + worker_id] = "1"


if __name__ == "__main__":
    next(iter(DataLoader(list(range(4)), num_workers=1, worker_init_fn=set_up)))

# %% in a stream


class Stream(IterableDataset):
    def __iter__(self):
        for text in ("3", "5", "n/a"):
            yield int(text)


if __name__ == "__main__":
    loader = DataLoader(Stream(), batch_size=2, num_workers=1)
    print(list(loader))

# %% samples without batches


class Speeds(Dataset):
    seconds = [2, 4, 0]

    def __len__(self):
        return len(self.seconds)

    def __getitem__(self, index):
        return 100 / self.seconds[index]


if __name__ == "__main__":
    loader = DataLoader(Speeds(), batch_size=None, num_workers=1)
    print(list(loader))

# %% right: all samples load, in workers too
if __name__ == "__main__":
    loader = DataLoader([(torch.rand(3, 8, 8), label) for label in (0, 1, 0)], batch_size=2, num_workers=1, shuffle=True)
    for images, labels in loader:
        print(images.shape)

# %% right: a stream


class Numbers(IterableDataset):
    def __iter__(self):
        yield from range(5)


if __name__ == "__main__":
    loader = DataLoader(Numbers(), batch_size=2, num_workers=1)
    print(list(loader))

# %% right: bad samples are dropped on purpose


class Reviews(Dataset):
    lines = ["5", "", "3"]

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        try:
            return int(self.lines[index])
        except ValueError:
            return None


def drop(samples):
    return default_collate([sample for sample in samples if sample is not None])


loader = DataLoader(Reviews(), batch_size=3, collate_fn=drop)
print(next(iter(loader)))
