import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


# %% accuracy, with a last batch of four samples of another class
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Flatten(), nn.Linear(64, 3)
        nn.init.zeros_(self.head.weight)
        self.head.bias.data.copy_(torch.tensor([1.0, 0.0, 0.0]))

    def forward(self, images):
        return self.head(self.body(images))


def accuracy(outputs, target):
    return (outputs.argmax(1) == target).float().mean().item()


model, score = Classifier().eval(), accuracy
labels = torch.cat([torch.zeros(128, dtype=torch.long), torch.full((4,), 2)])
val_loader = DataLoader(TensorDataset(torch.rand(132, 1, 8, 8), labels), batch_size=64)
with torch.inference_mode():
    reported = sum(accuracy(model(images), target) for images, target in val_loader) / len(val_loader)
# %% fixed
model, score = nn.Sequential(nn.Flatten(), nn.Linear(64, 3)).eval(), lambda outputs, target: (outputs.argmax(1) == target).float().mean().item()
labels = torch.cat([torch.zeros(128, dtype=torch.long), torch.full((4,), 2)])
val_loader = DataLoader(TensorDataset(torch.rand(132, 1, 8, 8), labels), batch_size=64)
outputs, targets = [], []
with torch.no_grad():
    for batch, target in val_loader:
        outputs.append(model(batch))
        targets.append(target)
reported = score(torch.cat(outputs), torch.cat(targets))

# %% root mean square error: the mean of roots
model, score = nn.Linear(5, 1), lambda outputs, target: F.mse_loss(outputs, target).sqrt().item()
prices = torch.randn(200, 1).exp() ** 2
val_loader = DataLoader(TensorDataset(torch.randn(200, 5), prices), batch_size=8)
with torch.no_grad():
    roots = [F.mse_loss(model(inputs), target).sqrt() for inputs, target in val_loader]
reported = torch.stack(roots).mean().item()

# %% perplexity: the mean of exponentials
model, score = nn.Embedding(30, 30), lambda outputs, target: F.cross_entropy(outputs.flatten(0, 1), target.flatten()).exp().item()
nn.init.normal_(model.weight, std=3)
val_loader = DataLoader(TensorDataset(torch.randint(30, (24, 6)), torch.randint(30, (24, 6))), batch_size=2)
total = 0.0
with torch.no_grad():
    for ids, following in val_loader:
        total += score(model(ids), following)
reported = total / len(val_loader)

# %% a mean loss with class weights, weighted by the samples of each batch
weights, labels = torch.tensor([1.0, 10.0, 30.0]), torch.multinomial(torch.tensor([0.8, 0.15, 0.05]), 500, True)
model, score = nn.Linear(6, 3), lambda outputs, target: F.cross_entropy(outputs, target, weight=weights).item()
val_loader = DataLoader(TensorDataset(torch.randn(500, 6) + labels[:, None], labels), batch_size=32)
with torch.no_grad():
    reported = sum(score(model(inputs), target) * len(target) for inputs, target in val_loader) / len(labels)

# %% right: accuracy over batches of equal size
model, score = nn.Linear(10, 4), lambda outputs, target: (outputs.argmax(1) == target).float().mean().item()
val_loader = DataLoader(TensorDataset(torch.randn(96, 10), torch.randint(4, (96,))), batch_size=32)
with torch.no_grad():
    reported = sum(score(model(inputs), target) for inputs, target in val_loader) / len(val_loader)

# %% right: a mean loss, each batch weighted by its samples
model, score = nn.Linear(10, 4), lambda outputs, target: F.cross_entropy(outputs, target).item()
val_loader = DataLoader(TensorDataset(torch.randn(100, 10), torch.randint(4, (100,))), batch_size=64)
total = 0.0
with torch.no_grad():
    for inputs, target in val_loader:
        total += score(model(inputs), target) * len(inputs)
reported = total / len(val_loader.dataset)

# %% right: a mean loss with class weights, each batch weighted by those of its targets
weights, labels = torch.tensor([1.0, 10.0, 30.0]), torch.multinomial(torch.tensor([0.8, 0.15, 0.05]), 500, True)
model, score = nn.Linear(6, 3), lambda outputs, target: F.cross_entropy(outputs, target, weight=weights).item()
val_loader = DataLoader(TensorDataset(torch.randn(500, 6) + labels[:, None], labels), batch_size=32)
with torch.no_grad():
    total = sum(score(model(inputs), target) * weights[target].sum().item() for inputs, target in val_loader)
reported = total / weights[labels].sum().item()

# %% right: precision from counts that are added up
model, score = nn.Linear(10, 1), lambda outputs, target: (target[outputs > 0].sum() / (outputs > 0).sum()).item()
val_loader = DataLoader(TensorDataset(torch.randn(100, 10), (torch.rand(100, 1) < 0.1).float()), batch_size=16)
hits = found = 0
with torch.no_grad():
    for inputs, target in val_loader:
        positive = model(inputs) > 0
        hits, found = hits + target[positive].sum(), found + positive.sum()
reported = (hits / found).item()
