import numpy as np
import torch
from torch import nn

# %% token ids of unequal length
values = [torch.tensor([4, 8, 15]), torch.tensor([16, 23])]
tokens = torch.tensor(values)
# %% fixed
values = [torch.tensor([4, 8, 15]), torch.tensor([16, 23])]
tokens, values = torch.cat(values), []

# %% losses without reduction
losses = nn.CrossEntropyLoss(reduction="none")(torch.randn(32, 10), torch.randint(10, (32,)))
values = [losses]
total = losses.item()
# %% fixed
losses = nn.CrossEntropyLoss(reduction="none")(torch.randn(32, 10), torch.randint(10, (32,)))
values = []
total = losses.mean().item()

# %% nothing above the threshold
scores = torch.tensor([0.1, 0.2])
values = [scores[scores > 0.5]]
best = values[0].item()

# %% one loss per GPU
loss = torch.tensor([0.7, 0.9])
values = [loss]
history = float(loss)

# %% predictions of batches as floats
values = [torch.rand(4), torch.rand(4), torch.rand(2)]
predictions = torch.FloatTensor(values)
# %% fixed
values = [torch.rand(4), torch.rand(4), torch.rand(2)]
predictions = values = torch.cat(values)

# %% labels of batches, the last one shorter
values = [torch.tensor([0, 2, 1, 1]), torch.tensor([2, 0])]
labels = torch.tensor(values)
# %% fixed
values = [torch.tensor([0, 2, 1, 1]), torch.tensor([2, 0])]
labels = values = torch.cat(values)

# %% the rewards of several environments in a deque
from collections import deque

values = deque([torch.rand(4) for _ in range(3)], maxlen=3)
rewards = torch.tensor(values)
# %% fixed
from collections import deque

values = deque([torch.rand(4) for _ in range(3)], maxlen=3)
rewards = values = torch.stack(list(values))

# %% lists of lists of tensors
values = [[torch.rand(2), torch.rand(2)], [torch.rand(2), torch.rand(2)]]
corners = torch.tensor(values)
# %% fixed
values = [[torch.rand(2), torch.rand(2)], [torch.rand(2), torch.rand(2)]]
values = [torch.stack(row) for row in values]
corners = values = torch.stack(values)

# %% message: a length that is a float
length = torch.tensor(7.0)
for step in range(length):
    pass
# %% fixed
t = torch.tensor(7.0)
for step in range(int(t)):
    pass

# %% message: a log line
loss = nn.L1Loss(reduction="none")(torch.rand(1), torch.rand(1))
print(f"loss: {loss:.4f}")
# %% fixed
loss = nn.L1Loss(reduction="none")(torch.rand(1), torch.rand(1))
print(f"loss: {loss.mean().item():.4f}")

# %% message: math on a batch
import math

perplexity = math.exp(torch.rand(4))

# %% message: NumPy
temperature = float(np.ones(3))

# %% message: in a module, as a setting
class Scaled(nn.Module):
    def forward(self, x, scale):
        return x * int(scale)


nn.Sequential(Scaled())[0](torch.rand(2), torch.rand(2))

# %% right: tensors of one element, whatever their dimensions
values = [torch.tensor(3), torch.tensor([7]), torch.tensor([[5]])]
labels = torch.tensor(values)

# %% right: a list of numbers
values = [0.5, 0.25]
scores = torch.tensor(values)
