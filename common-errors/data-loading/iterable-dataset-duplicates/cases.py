import itertools
import random

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

torch.manual_seed(0)
images, labels = torch.randn(96, 1, 8, 8), torch.randint(4, (96,))


class Images(IterableDataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        return ((images[n], labels[n]) for n in self.numbers)


def train(loader, passes=1):
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for inputs, targets in itertools.chain.from_iterable(itertools.repeat(loader, passes)):
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


# %% a generator of images, with two workers
loader = DataLoader(Images(range(96)), batch_size=8, num_workers=2)
train(loader)

# %% fixed
class Own(Images):
    def __iter__(self):
        worker = get_worker_info()
        first, of = (worker.id, worker.num_workers) if worker else (0, 1)
        return ((images[n], labels[n]) for n in itertools.islice(self.numbers, first, None, of))


loader = DataLoader(Own(range(96)), batch_size=8, num_workers=3)
train(loader)

# %% a shuffle buffer, whose order differs between the workers
class Shuffled(Images):
    def __iter__(self):
        rows = [{"image": images[n], "label": labels[n].item()} for n in self.numbers]
        random.shuffle(rows)
        return iter(rows)


loader = DataLoader(Shuffled(range(96)), batch_size=16, num_workers=2)
for batch in loader:
    pass

# %% right: worker_init_fn gives each worker a part of the numbers
def keep_part(id):
    worker = get_worker_info()
    worker.dataset.numbers = worker.dataset.numbers[id :: worker.num_workers]


loader = DataLoader(Images(range(96)), batch_size=8, num_workers=2, worker_init_fn=keep_part)
train(loader, passes=2)

# %% right: no worker processes
loader = DataLoader(Images(range(96)), batch_size=8)
train(loader, passes=2)

# %% right: each row stands four times in the stream
class Fourfold(Images):
    def __iter__(self):
        worker = get_worker_info()
        first, of = (worker.id, worker.num_workers) if worker else (0, 1)
        fourfold = (n for n in self.numbers for _ in range(4))
        return ((images[n], labels[n]) for n in itertools.islice(fourfold, first, None, of))


loader = DataLoader(Fourfold(range(96)), batch_size=8, num_workers=2)
train(loader)

# %% right: categories of few values, which repeat in the stream
class Rows(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        for row in range(worker.id, 200, worker.num_workers) if worker else range(200):
            yield torch.tensor([row % 3, row % 2]), row % 2


loader = DataLoader(Rows(), batch_size=20, num_workers=2)
for batch in loader:
    pass

# %% right: files of their own, whose lines the batch numbers beside a list of crops
class Crops(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        for file in range(worker.id, 2, worker.num_workers) if worker else range(2):
            for line in range(64):
                yield line, images[(64 * file + line) % 96, :, : 4 + line % 3] + file


def to_lists(rows):
    return {"line": torch.tensor([line for line, _ in rows]), "crops": [crop for _, crop in rows]}


loader = DataLoader(Crops(), batch_size=8, num_workers=2, collate_fn=to_lists)
for batch in loader:
    pass

# %% watched: lines of text, tokenized by the program
class Lines(IterableDataset):
    def __iter__(self):
        for number in itertools.count():
            yield f"sentence {number} of an endless corpus"


embedding, head = nn.EmbeddingBag(100, 16), nn.Linear(16, 2)
optimizer = torch.optim.AdamW([*embedding.parameters(), *head.parameters()])
for texts in itertools.islice(DataLoader(Lines(), batch_size=8, num_workers=2), 12):
    tokens = torch.tensor([[hash(word) % 100 for word in text.split()] for text in texts])
    optimizer.zero_grad()
    F.cross_entropy(head(embedding(tokens)), tokens[:, 0] % 2).backward()
    optimizer.step()
