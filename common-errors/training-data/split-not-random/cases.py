import copy

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)


def sorted_data(classes, each=12):
    labels = torch.arange(classes).repeat_interleave(each)
    return TensorDataset(torch.randn(classes, 6)[labels] + 0.3 * torch.randn(len(labels), 6), labels)


class Trainer:
    def __init__(self, model, loss=F.cross_entropy):
        self.model, self.loss = model, loss
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    def train(self, data):
        self.model.train()
        for batch, target in DataLoader(data, 8, shuffle=True):
            self.optimizer.zero_grad()
            self.loss(self.model(batch), target).backward()
            self.optimizer.step()

    @torch.inference_mode()
    def evaluate(self, data):
        self.model.eval()
        return sum(self.loss(self.model(batch), target).item() for batch, target in DataLoader(data, 8))


# %% folds one after the other, a third of the classes in each
data = sorted_data(6)
for fold in range(3):
    val_indices = list(range(24 * fold, 24 * fold + 24))
    train_set, val_set = Subset(data, [n for n in range(72) if n not in val_indices]), Subset(data, val_indices)
    trainer = Trainer(nn.Linear(6, 6))
    for epoch in range(3):
        trainer.train(train_set)
    trainer.evaluate(val_set)
train_labels, val_labels = data.tensors[1][train_set.indices], data.tensors[1][val_set.indices]
# %% fixed
data, order = sorted_data(6), torch.randperm(72).tolist()
for fold in range(3):
    val_indices = order[24 * fold : 24 * fold + 24]
    train_set, val_set = Subset(data, [n for n in range(72) if n not in val_indices]), Subset(data, val_indices)
    trainer = Trainer(nn.Linear(6, 6))
    for epoch in range(3):
        trainer.train(train_set)
    trainer.evaluate(val_set)
train_labels, val_labels = data.tensors[1][train_set.indices], data.tensors[1][val_set.indices]

# %% spam behind all other mail, and no loss in the validation
data = sorted_data(2, 40)
train_set, val_set = TensorDataset(*data[:60]), TensorDataset(*data[60:])
trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)))
trainer.train(TensorDataset(*data[:30]))
train_labels, val_labels = data.tensors[1][:30], data.tensors[1][60:]

# %% watched: a function, log-probabilities, and an early end by an exception of the program
model = nn.Sequential(nn.Embedding(40, 8), nn.Flatten(), nn.Linear(32, 5), nn.LogSoftmax(1))
tokens, labels = torch.randint(40, (100, 4)), torch.arange(100) // 20
optimizer = torch.optim.AdamW(model.parameters())
for epoch in range(3):
    for part in torch.randperm(60).split(12):
        optimizer.zero_grad()
        nn.NLLLoss()(model(tokens[part]), labels[part]).backward()
        optimizer.step()
    with torch.no_grad():
        val_loss = nn.NLLLoss(reduction="sum")(model(tokens[60:]), labels[60:])

# %% right: classes are learned one after the other, and all are evaluated each time
data, trainer = sorted_data(6), Trainer(nn.Linear(6, 6))
for task in range(3):
    trainer.train(Subset(data, range(24 * task, 24 * task + 24)))
    trainer.evaluate(data)
train_labels = val_labels = data.tensors[1]

# %% right: a class has one sample, which is in the validation
data = sorted_data(4)
order = [n for n in torch.randperm(36).tolist() if n < 36]
train_set, val_set = Subset(data, order[:24]), Subset(data, [*order[24:], 36])
trainer = Trainer(nn.Linear(6, 4))
trainer.train(train_set)
trainer.evaluate(val_set)
train_labels, val_labels = data.tensors[1][train_set.indices], data.tensors[1][val_set.indices]

# %% right: a sorted series, split by position, whose labels occur everywhere
labels = torch.randint(3, (90,))
series = torch.sin(torch.arange(90)[:, None] / torch.arange(1, 7)) + F.one_hot(labels, 6)
trainer = Trainer(nn.Linear(6, 3))
trainer.train(TensorDataset(series[:60], labels[:60]))
trainer.evaluate(TensorDataset(series[60:], labels[60:]))
train_labels, val_labels = labels[:60], labels[60:]

# %% right: a copy of a trained model unlearns two classes, and is asked about them
data, trainer = sorted_data(6), Trainer(nn.Linear(6, 6))
trainer.train(data)
unlearned = Trainer(copy.deepcopy(trainer.model))
unlearned.train(Subset(data, range(48)))
unlearned.evaluate(Subset(data, range(48, 72)))
train_labels = val_labels = data.tensors[1]

# %% right: each client has two classes, and its model is evaluated on all
data, server = sorted_data(6, 24), nn.Linear(6, 6)
for client in range(3):
    trainer = Trainer(copy.deepcopy(server))
    for epoch in range(2):
        trainer.train(Subset(data, range(48 * client, 48 * client + 48)))
    trainer.evaluate(data)
train_labels = val_labels = data.tensors[1]
