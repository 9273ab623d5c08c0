import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(128, 20)


def train(network, loss_of, steps=30):
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(steps):
        outputs = network(inputs)
        optimizer.zero_grad()
        loss_of(outputs).backward()
        optimizer.step()
    return outputs


# %% a softmax at the end of forward
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.head = nn.Linear(20, 32), nn.Linear(32, 3)

    def forward(self, features):
        return torch.softmax(self.head(self.hidden(features).relu()), dim=-1)


labels = torch.randint(3, (128,))
outputs = train(Classifier(), lambda logits: nn.functional.cross_entropy(logits, labels))
# %% fixed
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.head = nn.Linear(20, 32), nn.Linear(32, 3)

    def forward(self, features):
        return self.head(self.hidden(features).relu())


labels = torch.randint(3, (128,))
outputs = train(Classifier(), lambda logits: nn.functional.cross_entropy(logits, labels))

# %% a sigmoid before BCEWithLogitsLoss, for several tags
model = nn.Sequential(nn.Linear(20, 5), nn.Sigmoid())
tags = torch.randint(2, (128, 5)).float()
outputs = train(model, lambda logits: nn.functional.binary_cross_entropy_with_logits(logits, tags))

# %% a softmax with a temperature after it, so that its numbers exceed 1
model = nn.Sequential(nn.Linear(20, 3), nn.Softmax(dim=1))
outputs = model(inputs) / 0.1

# %% right: log_softmax in front of CrossEntropyLoss changes nothing
model = nn.Sequential(nn.Linear(20, 3), nn.LogSoftmax(dim=1))
labels = torch.randint(3, (128,))
outputs = train(model, lambda logits: nn.functional.cross_entropy(logits, labels))

# %% right: a high loss because the labels are random
model = nn.Linear(20, 100)
labels = torch.randint(100, (128,))
outputs = train(model, lambda logits: nn.functional.cross_entropy(logits, labels), steps=5)

# %% right: small logits before training, all between 0 and 1
model = nn.Linear(20, 3)
with torch.no_grad():
    model.weight.mul_(0.1)
    model.bias.fill_(0.5)
outputs = model(inputs)

# %% right: a gate whose last operation is a product with a sigmoid
values, gates = nn.Linear(20, 3), nn.Linear(20, 3)
outputs = values(inputs).relu() * gates(inputs).sigmoid()

# %% watched: a sigmoid at the end of a classifier
labels = inputs[:, :3].argmax(dim=1)
network = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 3), nn.Sigmoid())
train(network, lambda outputs: nn.functional.cross_entropy(outputs, labels))
