import resource
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
dataset = TensorDataset(torch.randn(200, 2), torch.arange(200) % 2)

# %% message: all batches in a list
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    batches = list(loader)
# %% fixed
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    batches = [[batch.clone(), batch_labels.clone()] for batch, batch_labels in loader]

# %% labels as arrays, which share the memory of the tensors
labels = []
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    for inputs, batch_labels in loader:
        labels.append(batch_labels.numpy())

# %% the first row of each batch
first_rows = []
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=2)
    for inputs, batch_labels in loader:
        first_rows.append(inputs[0].detach())
# %% fixed
first_rows = []
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=2)
    for batch, batch_labels in loader:
        first_rows.append(batch.clone()[0])

# %% predictions with the graph, which keeps the inputs
outputs = []
if __name__ == "__main__":
    model = torch.nn.Linear(2, 2)
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    for inputs, batch_labels in loader:
        outputs.append(model(inputs))

# %% message: parameters for other processes
shared = [torch.zeros(4).share_memory_() for _ in range(100)]


# %% message: a dataset that leaves its files open
class Texts(Dataset):
    files = []

    def __len__(self):
        return 200

    def __getitem__(self, index):
        self.files.append(open(__file__))
        return index


for batch in DataLoader(Texts(), batch_size=10):
    print(batch)

# %% message: many temporary files
files = [(tempfile.TemporaryFile(), torch.ones(2)) for _ in range(100)]

# %% right: copies in a list
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    labels = [batch_labels.clone() for inputs, batch_labels in loader]

# %% right: numbers in a list, and the last batch
if __name__ == "__main__":
    loader = DataLoader(dataset, batch_size=2, num_workers=1)
    labels = []
    for inputs, batch_labels in loader:
        labels += batch_labels.tolist()

# %% right: all batches in a list, without workers
loader = DataLoader(dataset, batch_size=2)
batches = list(loader)
