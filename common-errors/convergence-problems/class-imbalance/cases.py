import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)


def samples(shares, number=4000, distance=2.5):
    """Inputs of which each class but the first moves one feature."""
    targets = torch.multinomial(torch.tensor(shares), number, replacement=True)
    inputs = torch.randn(number, 8)
    inputs[range(number), targets - 1] += distance * (targets > 0)
    return inputs, targets


def fit(model, loader, loss_fn, epochs=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch, labels in loader:
            loss = loss_fn(model(batch), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


# %% a binary classifier of fraud with one logit
inputs, targets = samples([0.98, 0.02], distance=2.0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
fit(model, DataLoader(TensorDataset(inputs, targets.float()[:, None]), 64, shuffle=True), nn.BCEWithLogitsLoss())
# %% fixed
inputs, targets = samples([0.98, 0.02], distance=2.0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
loss_fn = nn.BCEWithLogitsLoss(pos_weight=(targets == 0).sum() / targets.sum())
fit(model, DataLoader(TensorDataset(inputs, targets.float()[:, None]), 64, shuffle=True), loss_fn)

# %% four classes, the third one frequent, log-probabilities
inputs, targets = samples([0.94, 0.02, 0.02, 0.02], distance=2.2)
targets = (targets + 2) % 4
model = nn.Sequential(nn.Linear(8, 4), nn.LogSoftmax(dim=1))
fit(model, DataLoader(TensorDataset(inputs, targets), 32, shuffle=True), nn.NLLLoss(), epochs=2)

# %% right: rare, and easy to tell apart
inputs, targets = samples([0.96, 0.02, 0.02], distance=8.0)
model = nn.Linear(8, 3)
fit(model, DataLoader(TensorDataset(inputs, targets), 32, shuffle=True), F.cross_entropy, epochs=6)

# %% right: drawn in equal shares
inputs, targets = samples([0.96, 0.02, 0.02])
model = nn.Linear(8, 3)
drawn = WeightedRandomSampler(1 / targets.bincount()[targets].float(), len(targets))
fit(model, DataLoader(TensorDataset(inputs, targets), 32, sampler=drawn), F.cross_entropy)

# %% right: nothing in the inputs tells the classes, which is another fault
inputs, targets = samples([0.96, 0.02, 0.02], distance=0.0)
model = nn.Linear(8, 3)
fit(model, DataLoader(TensorDataset(inputs, targets), 32, shuffle=True), F.cross_entropy)

# %% watched: a trainer in a class, an RNN, and accumulation in bfloat16
class Trainer:
    def __init__(self):
        self.rnn, self.head = nn.GRU(2, 16, batch_first=True), nn.Linear(16, 3)
        parameters = [*self.rnn.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.RMSprop(parameters, lr=1e-3)

    def fit(self, sequences, labels):
        for number, part in enumerate(torch.randperm(len(labels)).split(16)):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = self.head(self.rnn(sequences[part])[0][:, -1])
                loss = F.cross_entropy(logits, labels[part]) / 2
            loss.backward()
            if number % 2:
                self.optimizer.step()
                self.optimizer.zero_grad()


inputs, targets = samples([0.93, 0.04, 0.03], number=6000)
Trainer().fit(inputs.reshape(-1, 4, 2), targets)

# %% right: two classes, whose probability is used as a score
inputs, targets = samples([0.97, 0.03], distance=1.5)
scorer = nn.Linear(8, 2)
fit(scorer, DataLoader(TensorDataset(inputs, targets), 32, shuffle=True), F.cross_entropy)
model = nn.Linear(8, 2)  # the model that is asked has weights
fit(model, DataLoader(TensorDataset(inputs, targets), 32, shuffle=True), nn.CrossEntropyLoss(torch.tensor([1.0, 32.0])))
