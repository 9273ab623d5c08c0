import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, TensorDataset, get_worker_info, random_split

torch.manual_seed(0)
true_labels = torch.randint(4, (120,))
data = TensorDataset(torch.randn(120, 6), true_labels)


@torch.no_grad()
def predict(model, loader):
    return torch.cat([model(batch[0]).argmax(1) for batch in loader])


# %% predictions for file names, whose loader was copied from that of training
class Files(Dataset):
    def __init__(self, names, labels):
        self.names, self.labels = names, labels

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return torch.full((3, 4, 4), index / 100), self.labels[index]


model = nn.Sequential(nn.Flatten(), nn.Linear(48, 4))
files = Files([f"{number}.png" for number in range(120)], true_labels)
val_loader = DataLoader(files, batch_size=16, shuffle=True, drop_last=False)
rows = list(zip(files.names, predict(model, val_loader).tolist(), strict=True))
# %% fixed
model = nn.Sequential(nn.Flatten(), nn.Linear(48, 4))
files = TensorDataset(torch.rand(120, 3, 4, 4), true_labels)
val_loader = DataLoader(files, batch_size=16)
rows = list(zip(range(120), predict(model, val_loader).tolist(), strict=True))

# %% a random split, whose predictions are compared with the last labels of the whole
model = nn.Linear(6, 4)
train_set, val_set = random_split(data, [90, 30])
val_loader = DataLoader(val_set, batch_size=10)
true_labels = data.tensors[1][90:]
accuracy = (predict(model, val_loader) == true_labels).float().mean().item()

# %% a stream, of which two workers read every other row
class Stream(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        rows = range(worker.id, 120, worker.num_workers) if worker else range(120)
        return (data[row] for row in rows)


model = nn.Linear(6, 4)
val_loader = DataLoader(Stream(), batch_size=20, num_workers=2)
accuracy = (predict(model, val_loader) == true_labels).float().mean().item()

# %% right: a subset, compared with the labels at its indices
model = nn.Linear(6, 4)
order = torch.randperm(120)
val_loader = DataLoader(Subset(data, order[:40].tolist()), batch_size=16)
true_labels = data.tensors[1][order[:40]]
accuracy = (predict(model, val_loader) == true_labels).float().mean().item()

# %% right: shuffled, but predictions and labels are collected from the same batches
model = nn.Linear(6, 4)
val_loader = DataLoader(data, batch_size=16, shuffle=True, generator=torch.Generator().manual_seed(1))
pairs = [(model(inputs).argmax(1), target) for inputs, target in val_loader]
val_loader = pairs
predicted, true_labels = (torch.cat(part) for part in zip(*pairs, strict=True))
accuracy = (predicted == true_labels).float().mean().item()
