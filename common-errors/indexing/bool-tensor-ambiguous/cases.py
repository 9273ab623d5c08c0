import numpy as np
import torch
from torch import nn

# %% predictions compared in a condition
predictions, labels = torch.tensor([0, 2, 1]), torch.tensor([0, 2, 1])
tested = predictions == labels
if tested:
    print("all right")

# %% a mask of two conditions
values = torch.tensor([-1.0, 0.5, 2.0])
tested = values > 0
inside = tested and values < 1

# %% a default for a missing state
hidden = torch.zeros(1, 4, 8)
tested = hidden
hidden = hidden or torch.zeros(1, 4, 8)

# %% nothing was detected
boxes = torch.zeros(0, 4)
tested = boxes
if boxes:
    print("found", len(boxes))
# %% fixed
t = torch.zeros(0, 4)
tested = t.numel() > 0
if t.numel() > 0:
    print("found", len(t))

# %% a regression loss that was never created
tested = nn.MSELoss
logits, labels = torch.rand(8, 1), torch.rand(8, 1)
loss = nn.MSELoss(logits, labels)
# %% fixed
criterion = tested = nn.MSELoss()
logits, labels = torch.rand(8, 1), torch.rand(8, 1)
loss = criterion(logits, labels)

# %% early stopping on a loss per class
best, validation_loss = 1.0, torch.tensor([0.7, 0.9])
tested = validation_loss < best
best = min(best, validation_loss)

# %% message: a parameter looked up in a list
frozen = [torch.ones(3), torch.ones(3)]
found = nn.Linear(2, 3).bias in frozen

# %% message: a tensor as a setting of a layer
dropout = nn.Dropout(torch.tensor([0.1, 0.2]))

# %% message: NumPy
scores = np.array([0.2, 0.7])
if scores > torch.tensor(0.5).item():
    print("positive")

# %% message: in the forward of a layer
class Gate(nn.Module):
    def forward(self, x):
        return x if x.mean(dim=0) > 0 else -x


nn.Sequential(Gate())(torch.rand(8, 4))

# %% right: one element, whatever its dimensions
tested = torch.rand(1, 1) < 2
if tested:
    loss = nn.MSELoss()(torch.rand(2), torch.rand(2))

# %% right: reduced conditions
tested = (torch.tensor([1, 2]) == torch.tensor([1, 2])).all()
if tested and torch.equal(torch.ones(2), torch.ones(2)):
    criterion = nn.CrossEntropyLoss()
