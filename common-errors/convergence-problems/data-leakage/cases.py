import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset, random_split

torch.manual_seed(0)


def train(model, data, epochs=2):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for inputs, target in DataLoader(data, batch_size=16, shuffle=True):
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), target).backward()
            optimizer.step()


@torch.no_grad()
def accuracy(model, data):
    return sum(
        (model(inputs).argmax(1) == target).sum().item() for inputs, target in DataLoader(data, batch_size=64)
    ) / len(data)


# %% two collections that share many pictures, merged before the split
images, labels = torch.rand(100, 1, 8, 8), torch.randint(3, (100,))
data = ConcatDataset([TensorDataset(images[:70], labels[:70]), TensorDataset(images[30:], labels[30:])])
train_set, test_set = random_split(data, [0.7, 0.3])
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
train(model, train_set)
accuracy(model, test_set)
# %% fixed
images, labels = torch.rand(100, 1, 8, 8), torch.randint(3, (100,))
data = ConcatDataset([TensorDataset(images[:70], labels[:70]), TensorDataset(images[30:], labels[30:])])
first = {image.numpy().tobytes(): index for index, (image, _) in reversed(list(enumerate(data)))}
train_set, test_set = random_split(Subset(data, list(first.values())), [0.7, 0.3])
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
train(model, train_set)
accuracy(model, test_set)

# %% two index lists that overlap by mistake
data = TensorDataset(torch.randn(200, 12), torch.randint(2, (200,)))
order = torch.randperm(200)
train_set, test_set = Subset(data, order[:160].tolist()), Subset(data, order[140:].tolist())
model = nn.Linear(12, 2)
train(model, train_set)
accuracy(model, test_set)

# %% right: the training accuracy is measured beside the test accuracy, and that of all data
data = TensorDataset(torch.randn(200, 12), torch.randint(2, (200,)))
train_set, test_set = random_split(data, [0.8, 0.2])
model = nn.Linear(12, 2)
train(model, train_set)
(
    accuracy(model, train_set),
    accuracy(model, test_set),
    accuracy(model, data),
    accuracy(model, Subset(train_set, range(50))),
)

# %% right: cross-validation with a new model for each fold, on random folds
data = TensorDataset(torch.randn(200, 12), torch.randint(2, (200,)))
for fold in range(3):
    train_set, test_set = random_split(data, [0.8, 0.2])
    model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 2))
    train(model, train_set)
    accuracy(model, test_set)

# %% right: oversampled by a sampler, behind the split
data = TensorDataset(torch.randn(200, 12), (torch.arange(200) % 10 == 0).long())
train_set, test_set = random_split(data, [0.8, 0.2])
weights = torch.tensor([9.0 if target else 1.0 for _, target in train_set])
model = nn.Linear(12, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, target in DataLoader(
    train_set, batch_size=16, sampler=torch.utils.data.WeightedRandomSampler(weights, 160)
):
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), target).backward()
    optimizer.step()
accuracy(model, test_set)


# %% watched: in a class, sentences as ids, validated in each epoch, many of them twice in the corpus
class Trainer:
    def __init__(self):
        self.embed, self.head = nn.EmbeddingBag(500, 16), nn.Linear(16, 2)
        self.optimizer = torch.optim.SGD([*self.embed.parameters(), *self.head.parameters()], lr=0.1, momentum=0.9)

    def fit(self, train_loader, val_loader):
        for _ in range(2):
            for ids, target in train_loader:
                loss = nn.CrossEntropyLoss()(self.head(self.embed(ids)), target)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
            with torch.inference_mode():
                wrong = [F.cross_entropy(self.head(self.embed(ids)), target).item() for ids, target in val_loader]
        return wrong


sentences, labels = torch.randint(500, (150, 20)).repeat(2, 1), torch.randint(2, (150,)).repeat(2)
parts = random_split(TensorDataset(sentences, labels), [0.75, 0.25])
Trainer().fit(DataLoader(parts[0], batch_size=25, shuffle=True), DataLoader(parts[1], batch_size=25))

# %% undecided: rows of yes and no, equal by chance
data = TensorDataset(torch.randint(2, (400, 4)).float(), torch.randint(2, (400,)))
train_set, test_set = random_split(data, [0.8, 0.2])
model = nn.Linear(4, 2)
train(model, train_set)
accuracy(model, test_set)

# %% right: within an epoch, some training rows are evaluated from a data set of their own
inputs, target = torch.randn(400, 12), torch.randint(2, (400,))
probe, test_set = TensorDataset(inputs[:120], target[:120]), TensorDataset(inputs[320:], target[320:])
train_set = TensorDataset(inputs[:320], target[:320])
model = nn.Linear(12, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step, (rows, wanted) in enumerate(DataLoader(train_set, batch_size=16, shuffle=True)):
    optimizer.zero_grad()
    F.cross_entropy(model(rows), wanted).backward()
    optimizer.step()
    if step % 5 == 0:
        accuracy(model, probe), accuracy(model, test_set)
