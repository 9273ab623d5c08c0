import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, TensorDataset

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def train(loader, passes=2, criterion=F.cross_entropy):
    for _ in range(passes):
        for inputs, target in loader:
            optimizer.zero_grad()
            criterion(model(inputs), target).backward()
            optimizer.step()


# %% defects behind all good parts, for a binary loss
good, bad = (TensorDataset(torch.randn(80, 6) + value, torch.full((80,), value)) for value in (0.0, 1.0))
loader = DataLoader(ConcatDataset([good, bad]), batch_size=16)
train(loader, criterion=lambda outputs, target: F.binary_cross_entropy_with_logits(outputs[:, 0], target))
# %% fixed
good, bad = (TensorDataset(torch.randn(80, 6) + value, torch.full((80,), value)) for value in (0.0, 1.0))
loader = DataLoader(ConcatDataset([good, bad]), batch_size=16, shuffle=True)
train(loader, criterion=lambda outputs, target: F.binary_cross_entropy_with_logits(outputs[:, 0], target))

# %% a dataset of its own that lists one folder after the other
class Folders(Dataset):
    def __init__(self, folders, files):
        self.samples = [(folder, file) for folder in range(folders) for file in range(files)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        folder, _ = self.samples[index]
        return folder + torch.randn(6), folder


loader = DataLoader(Folders(6, 40), batch_size=12)
train(loader, passes=1)

# %% right: sorted data, shuffled once at random before it is split
data = TensorDataset(torch.randn(240, 6), torch.arange(6).repeat_interleave(40))
loader = DataLoader(Subset(data, torch.randperm(240)[:200]), batch_size=12)
train(loader)

# %% right: nearly all samples are of one class
data = TensorDataset(torch.randn(320, 6), (torch.rand(320) < 0.03).long())
loader = DataLoader(data, batch_size=16)
train(loader)

# %% undecided: all of the sorted data in one batch
data = TensorDataset(torch.randn(60, 6), torch.arange(6).repeat_interleave(10))
loader = DataLoader(data, batch_size=60)
train(loader, passes=20)

# %% right: shuffled for training, sorted for validation
data = TensorDataset(torch.randn(240, 6), torch.arange(6).repeat_interleave(40))
loader = DataLoader(data, batch_size=12, shuffle=True)
for epoch in range(2):
    train(loader, passes=1)
    wrong = sum(F.cross_entropy(model(inputs), target).item() for inputs, target in DataLoader(data, batch_size=12))

# %% watched: slices of sorted tensors, in a class, with a classifier of sequences
class Trainer:
    def __init__(self):
        self.body, self.head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 5)
        self.optimizer = torch.optim.SGD([*self.body.parameters(), *self.head.parameters()], lr=0.1)
        self.criterion = nn.NLLLoss()

    def fit(self, inputs, labels):
        for start in range(0, len(inputs), 20):
            scores = self.head(self.body(inputs[start : start + 20])[1][0]).log_softmax(1)
            self.optimizer.zero_grad()
            self.criterion(scores, labels[start : start + 20]).backward()
            self.optimizer.step()


Trainer().fit(torch.randn(300, 7, 3), torch.arange(5).repeat_interleave(60))

# %% watched: two classes, small batches, gradients accumulated over four of them
model = nn.Sequential(nn.Conv1d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 2))
optimizer = torch.optim.AdamW(model.parameters())
data = TensorDataset(torch.randn(96, 1, 10), (torch.arange(96) >= 50).long())
for epoch in range(3):
    for number, (signals, target) in enumerate(DataLoader(data, batch_size=4)):
        (nn.CrossEntropyLoss()(model(signals), target) / 4).backward()
        if number % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()

# %% right: a GAN, whose discriminator sees only fakes, then only real samples
loader = DataLoader(TensorDataset(torch.randn(320, 6), torch.randint(6, (320,))), batch_size=16, shuffle=True)
generator, critic = nn.Linear(4, 6), nn.Linear(6, 1)
updates = [torch.optim.Adam(part.parameters()) for part in (generator, critic)]
for real, _ in loader:
    fake = generator(torch.randn(16, 4))
    updates[1].zero_grad()
    F.binary_cross_entropy_with_logits(critic(fake.detach()), torch.zeros(16, 1)).backward()
    F.binary_cross_entropy_with_logits(critic(real), torch.ones(16, 1)).backward()
    updates[1].step()
    updates[0].zero_grad()
    F.binary_cross_entropy_with_logits(critic(fake), torch.ones(16, 1)).backward()
    updates[0].step()

# %% right: long regimes in order, for a network that keeps its state
regimes = torch.cat([torch.full((length,), number % 2) for number, length in enumerate((200, 150, 260, 120, 310))])
rnn, head, state = nn.GRU(2, 4), nn.Linear(4, 2), None
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
for part in regimes.split(16):
    outputs, state = rnn(torch.randn(len(part), 1, 2), state)
    state = state.detach()
    optimizer.zero_grad()
    F.cross_entropy(head(outputs)[:, 0], part).backward()
    optimizer.step()
loader = DataLoader(TensorDataset(torch.randn(1040, 6), regimes), batch_size=16, shuffle=True)

# %% watched: rows of the same lengths, which end within batches
labels = torch.cat([torch.full((length,), number % 2) for number, length in enumerate((200, 150, 200, 150, 200))])
for target in labels.split(16):
    optimizer.zero_grad()
    F.cross_entropy(model(torch.randn(len(target), 6)), target).backward()
    optimizer.step()
