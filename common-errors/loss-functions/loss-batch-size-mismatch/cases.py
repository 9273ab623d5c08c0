import torch
from torch import nn

torch.manual_seed(0)

# %% a view split the images
model = nn.Linear(400, 10)
images, targets = torch.rand(32, 3, 20, 20), torch.randint(10, (32,))
logits = model(images.view(-1, 400))
line = lambda: nn.functional.cross_entropy(logits, targets)
loss = line()
# %% fixed
model = nn.Linear(1200, 10)
x, targets = torch.rand(32, 3, 20, 20), torch.randint(10, (32,))
logits = model(x.flatten(1))
line = lambda: nn.functional.cross_entropy(logits, targets)
loss = line()

# %% only the targets were flattened
targets = torch.randint(5, (32, 20))
logits = nn.Linear(16, 5)(torch.randn(32, 20, 16))[:, -1]
line = lambda: nn.functional.cross_entropy(logits, targets.flatten())
loss = line()
# %% fixed
targets = torch.randint(5, (32, 20))
logits = nn.Linear(16, 5)(torch.randn(32, 20, 16))
line = lambda: nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
loss = line()

# %% no pooling over the nodes of eight graphs
batch, targets = torch.randn(35, 4), torch.randint(2, (8,))
logits = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))(batch)
line = lambda: nn.functional.cross_entropy(logits, targets)
loss = line()

# %% labels of words, logits of tokens with special ones, in a class that trains


class Trainer:
    def __init__(self, head):
        self.head, self.criterion = head, nn.CrossEntropyLoss()

    def compute_loss(self, hidden, labels):
        logits = self.head(hidden)
        return self.criterion(logits.view(-1, 4), labels.view(-1))


trainer = Trainer(nn.Linear(16, 4))
batch, targets = torch.randn(4, 7, 16), torch.randint(4, (4, 5))
line = lambda: trainer.compute_loss(batch, targets)
line()

# %% too few classes in the view
logits, targets = torch.randn(4, 12, 50), torch.randint(10, (4, 12))
line = lambda: nn.functional.cross_entropy(input=logits.view(-1, 10), target=targets.view(-1))
loss = line()
# %% fixed
logits, targets = torch.randn(4, 12, 50), torch.randint(10, (4, 12))
line = lambda: nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
loss = line()

# %% message: time first, so that the batch counts as time
sequences, labels = torch.randn(50, 24, 8), torch.randint(3, (50,))
outputs, hidden = nn.GRU(8, 16)(sequences)
loss = nn.functional.cross_entropy(nn.Linear(16, 3)(hidden[-1]), labels)

# %% message: a decoder that returns one position less
logits, targets = torch.randn(64, 19, 100), torch.randint(100, (64, 20))
loss = nn.functional.cross_entropy(logits.reshape(-1, 100), targets.reshape(-1))
# %% fixed
logits, targets = torch.randn(64, 19, 100), torch.randint(100, (64, 20))
loss = nn.functional.cross_entropy(logits.reshape(-1, 100), targets[:, 1:].flatten())

# %% message: targets shifted, logits not
logits, tokens = torch.randn(4, 12, 50), torch.randint(50, (4, 12))
loss = nn.functional.cross_entropy(logits.view(-1, 50), tokens[:, 1:].reshape(-1))
# %% fixed
logits, tokens = torch.randn(4, 12, 50), torch.randint(50, (4, 12))
loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())

# %% message: a target without the batch dimension
loss = nn.functional.cross_entropy(torch.randn(1, 3), torch.tensor(2))
# %% fixed
target = torch.tensor(2)
loss = nn.functional.cross_entropy(torch.randn(1, 3), target.unsqueeze(0))

# %% message: a whole list of labels, a part of the images
loss = nn.NLLLoss()(torch.randn(32, 10).log_softmax(1), torch.randint(10, (75,)))

# %% message: classes in the last dimension
logits, targets = torch.randn(32, 20, 5), torch.randint(5, (32, 20))
loss = nn.functional.cross_entropy(logits, targets)
# %% fixed
logits, targets = torch.randn(32, 20, 5), torch.randint(5, (32, 20))
loss = nn.functional.cross_entropy(logits.transpose(1, 2), targets)

# %% message: one label for a sequence of logits
loss = nn.functional.cross_entropy(torch.randn(32, 5, 20), torch.randint(5, (32,)))
# %% fixed
logits, targets = torch.randn(32, 5, 20), torch.randint(5, (32,))
loss = nn.functional.cross_entropy(logits.mean(2), targets)

# %% message: volumes with a channel
loss = nn.functional.cross_entropy(torch.randn(2, 4, 8, 8, 8), torch.randint(4, (2, 1, 8, 8, 8)))
# %% fixed
logits, targets = torch.randn(2, 4, 8, 8, 8), torch.randint(4, (2, 1, 8, 8, 8))
loss = nn.functional.cross_entropy(logits, targets.squeeze(1))

# %% message: volumes of another resolution
loss = nn.functional.cross_entropy(torch.randn(2, 4, 8, 8, 8), torch.randint(4, (2, 16, 16, 16)))

# %% right: one label for each pixel
logits, targets = nn.Conv2d(3, 4, 1)(torch.randn(2, 3, 8, 8)), torch.randint(4, (2, 8, 8))
line = lambda: nn.functional.cross_entropy(logits, targets)
loss = line()

# %% right: probabilities as targets
logits = nn.Linear(8, 4)(torch.randn(16, 8))
targets = torch.rand(16, 4).softmax(1)
line = lambda: nn.functional.cross_entropy(logits, targets)
loss = line()
