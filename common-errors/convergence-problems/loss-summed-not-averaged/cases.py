import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
train_inputs, train_labels = torch.randn(1024, 8), torch.randint(3, (1024,))
values = train_inputs[:, :1] * 2 + train_inputs[:, 1:2]


def train(size, steps=12):
    for step in range(steps):
        chosen = torch.randperm(1024)[:size]
        loss = compute_loss(train_inputs[chosen], train_labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return chosen


# %% a regression whose squared errors are added up
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
train_labels = values
compute_loss = lambda batch, target: (model(batch) - target).square().sum()
chosen = train(128)
# %% fixed
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
train_labels = values
compute_loss = lambda batch, target: (model(batch) - target).square().mean()
chosen = train(128)

# %% NLLLoss behind a convolution, in a class
class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Unflatten(1, (1, 8)), nn.Conv1d(1, 16, 3), nn.ReLU(), nn.Flatten(), nn.Linear(96, 3))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loss_fn = nn.NLLLoss(reduction="sum")

    def compute_loss(self, batch, target):
        return self.loss_fn(self.model(batch).log_softmax(1), target)


trainer = Trainer()
model, optimizer, compute_loss = trainer.model, trainer.optimizer, trainer.compute_loss
chosen = train(512)

# %% watched: masks of a segmentation, whose pixels are added up, beside a penalty
images, masks = torch.randn(8, 1, 16, 16), torch.randint(2, (8, 1, 16, 16)).float()
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, nesterov=True, momentum=0.9)
for step in range(12):
    loss = F.binary_cross_entropy_with_logits(model(images), masks, reduction="sum")
    loss = loss + sum(p.square().sum() for p in model.parameters()) * 1e-4
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: the parts of an evidence lower bound are sums, and Adam does not mind
model, train_labels = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)), train_inputs
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
compute_loss = lambda batch, target: F.mse_loss(model(batch), target, reduction="sum")
chosen = train(256)

# %% right: a rate that was chosen for the sum
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
compute_loss = lambda batch, target: F.cross_entropy(model(batch), target, reduction="sum")
chosen = train(256)

# %% right: the sum is divided by the number of samples
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
compute_loss = lambda batch, target: F.cross_entropy(model(batch), target, reduction="sum") / len(batch)
chosen = train(256)

# %% right: a rate that is too high for a mean, which is another fault
model, train_labels = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1)), values
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
compute_loss = lambda batch, target: F.mse_loss(model(batch), target)
chosen = train(64)

# %% right: REINFORCE adds up an episode, and the episodes get longer
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)


def compute_loss(batch, target):
    taken = torch.distributions.Categorical(logits=model(batch)).log_prob(target)
    return -(taken * torch.arange(len(batch), 0, -1)).sum()


for length in range(20, 300, 20):
    chosen = train(length, steps=1)

# %% right: the first batch is easy, and the rate is small
model = nn.Linear(8, 1)
for parameter in model.parameters():
    nn.init.zeros_(parameter)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
train_inputs[:64] *= 0.1
train_labels = train_inputs[:, :1]
compute_loss = lambda batch, target: F.mse_loss(model(batch), target, reduction="sum")
compute_loss(train_inputs[:64], train_labels[:64]).backward()
optimizer.step()
chosen = train(64)
