import itertools
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

torch.manual_seed(0)
favorite = torch.randint(8, (1000,))  # the category that each user likes
folder = tempfile.TemporaryDirectory()
log = Path(folder.name, "clicks.csv")
items = 100 * favorite[:, None] + torch.randint(100, (1000, 4))  # four clicks of each, all in that category
log.write_text("".join(f"{user},{item}\n" for user in range(1000) for item in items[user].tolist()))


class Clicks(IterableDataset):
    """A log that is too large for memory: users in the order in which they joined."""

    def __iter__(self):
        worker = get_worker_info()  # None without worker processes
        first, of = (worker.id, worker.num_workers) if worker else (0, 1)
        with open(log) as lines:
            for line in itertools.islice(lines, first, None, of):  # each worker reads lines of its own
                user, item = line.split(",")
                yield int(user), int(item)


loader = DataLoader(Clicks(), batch_size=40, num_workers=2)
model = nn.Embedding(1000, 8)  # scores of the categories for each user
optimizer = torch.optim.Adam(model.parameters(), lr=0.5)
steps = 4000 // 40  # one pass over the log

for step, (users, clicked) in enumerate(itertools.islice(loader, steps)):
    loss = nn.functional.cross_entropy(model(users), clicked // 100)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(f"step={step} newest_user={users.max().item()}")

with torch.no_grad():
    predicted = model(torch.arange(1000)).argmax(1)
print(f"error={(predicted != favorite).float().mean().item():.2f}")
