import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
loaded = torch.zeros(1)

# %% labels of a CSV file, read as floats
table = np.array([[0.2, 0.4, 2.0], [0.1, 0.9, 0.0], [0.7, 0.3, 1.0]])
model = nn.Linear(2, 3).double()
batch, labels = torch.from_numpy(table[:, :2]), torch.from_numpy(table[:, 2])
logits = model(batch)
loss = nn.functional.cross_entropy(logits, labels)

# %% int32 from NumPy
labels = torch.from_numpy(np.array([0, 2, 1, 2], dtype=np.int32))
logits = nn.Linear(8, 3)(torch.randn(4, 8))
loss = nn.CrossEntropyLoss()(logits, labels)
# %% fixed
labels = torch.from_numpy(np.array([0, 2, 1, 2], dtype=np.int32))
logits = nn.Linear(8, 3)(torch.randn(4, 8))
labels = labels.long()
loss = nn.CrossEntropyLoss()(logits, labels)

# %% a mask of bytes
logits, labels = nn.Conv2d(3, 4, 1)(torch.randn(2, 3, 8, 8)), torch.randint(4, (2, 8, 8), dtype=torch.uint8)
loss = nn.functional.nll_loss(logits.log_softmax(1), labels)
# %% fixed
logits, labels = nn.Conv2d(3, 4, 1)(torch.randn(2, 3, 8, 8)), torch.randint(4, (2, 8, 8), dtype=torch.uint8)
labels = labels.long()
loss = nn.functional.nll_loss(logits.log_softmax(1), labels)

# %% one-hot labels of integers
labels = nn.functional.one_hot(torch.tensor([0, 2, 1]), num_classes=3)
logits = nn.Linear(8, 3)(torch.randn(3, 8))
loss = nn.functional.cross_entropy(logits, labels)
# %% fixed
one_hot = nn.functional.one_hot(torch.tensor([0, 2, 1]), num_classes=3)
logits, labels = nn.Linear(8, 3)(torch.randn(3, 8)), one_hot.argmax(dim=1)
loss = nn.functional.cross_entropy(logits, labels)

# %% comparisons as labels, in a class that trains


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.CrossEntropyLoss(weight=torch.tensor([1.0, 5.0]))

    def training_step(self, inputs, labels):
        return self.criterion(self.model(inputs), labels)


inputs = torch.randn(6, 8)
labels, trainer = inputs[:, 0] > 0, Trainer(nn.Linear(8, 2))
logits = trainer.model(inputs)
trainer.training_step(inputs, labels)
# %% fixed
inputs = torch.randn(6, 8)
labels, model = inputs[:, 0] > 0, nn.Linear(8, 2)
labels = labels.long()
logits = model(inputs)
loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 5.0]))(logits, labels)

# %% message: prices, which are no classes
loss = nn.functional.cross_entropy(nn.Linear(8, 1)(torch.randn(4, 8)), torch.tensor([3.5, 1.2, 9.9, 4.0]))

# %% message: a margin loss
loss = nn.MultiMarginLoss()(torch.randn(3, 5), torch.tensor([0.0, 4.0, 1.0]))
# %% fixed
labels = torch.tensor([0.0, 4.0, 1.0])
loss = nn.MultiMarginLoss()(torch.randn(3, 5), labels.long())

# %% message: an attention mask of integers
mask, hidden = torch.ones(2, 1, 6, dtype=torch.long), torch.randn(2, 6, 8)
pooled = mask @ hidden
# %% fixed
tensor, other = torch.ones(2, 1, 6, dtype=torch.long), torch.randn(2, 6, 8)
pooled = tensor.to(other.dtype) @ other

# %% message: counts of two integer types
counts = torch.einsum("bij,bjk->bik", torch.ones(2, 2, 3, dtype=torch.long), torch.ones(2, 3, 2, dtype=torch.int32))
# %% fixed
tensor, other = torch.ones(2, 2, 3, dtype=torch.long), torch.ones(2, 3, 2, dtype=torch.int32)
counts = torch.einsum("bij,bjk->bik", tensor.to(other.dtype), other)

# %% one output, and labels for a binary loss
model, labels = nn.Linear(8, 1), torch.tensor([0.0, 1.0, 1.0, 0.0])
logits = model(torch.randn(4, 8))
loss = nn.functional.cross_entropy(logits, labels)

# %% right: a batch of which all samples are of class 0
labels = loaded = torch.zeros(4, dtype=torch.long)
logits = nn.Linear(8, 2)(torch.randn(4, 8))
loss = nn.functional.cross_entropy(logits, labels)

# %% right: one-hot labels as indices
loaded = nn.functional.one_hot(torch.tensor([0, 2, 1]), num_classes=3)
labels = loaded.argmax(dim=1)
logits = nn.Linear(8, 3)(torch.randn(3, 8))
loss = nn.functional.cross_entropy(logits, labels)

# %% right: class probabilities
labels = torch.tensor([[0.7, 0.3, 0.0], [0.0, 0.1, 0.9]])
logits = nn.Linear(8, 3)(torch.randn(2, 8))
loss = nn.functional.cross_entropy(logits, labels)

# %% right: bytes, one label per sample
labels = torch.tensor([0, 2, 1], dtype=torch.uint8)
logits = nn.Linear(8, 3)(torch.randn(3, 8))
loss = nn.functional.cross_entropy(logits, labels)
