import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% weights in a row of a matrix
weights, logits = torch.from_numpy(np.ones((1, 19), dtype=np.float32)), torch.randn(64, 19)
loss = nn.CrossEntropyLoss(weight=weights)(logits, torch.randint(19, (64,)))
# %% fixed
weights, logits = torch.from_numpy(np.ones((1, 19), dtype=np.float32)), torch.randn(64, 19)
weights = weights.flatten()
loss = nn.CrossEntropyLoss(weight=weights)(logits, torch.randint(19, (64,)))

# %% weights without the background class
weights, logits = torch.tensor([1.0, 4.0, 9.0]), torch.randn(2, 4, 8, 8)
loss = F.cross_entropy(logits, torch.randint(4, (2, 8, 8)), weight=weights)
# %% fixed
labels = torch.randint(1, 4, (2 * 8 * 8,))
logits = torch.randn(2, 4, 8, 8)
weights = 1.0 / torch.bincount(labels, minlength=4).clamp(min=1)
loss = F.cross_entropy(logits, labels.view(2, 8, 8), weight=weights)

# %% weights of the dataset that the code was written for
weights, logits = torch.ones(19), torch.randn(8, 4)
loss = nn.CrossEntropyLoss(weight=weights)(logits, torch.randint(4, (8,)))

# %% NLLLoss, weights by sample instead of by class
weights, logits = torch.rand(16), torch.randn(16, 3)
loss = nn.NLLLoss(weight=weights)(logits.log_softmax(1), torch.randint(3, (16,)))

# %% two classes as one weight
weights, logits = torch.tensor([3.0]), torch.randn(8, 2)
loss = nn.CrossEntropyLoss(weight=weights)(logits, torch.randint(2, (8,)))
# %% fixed
logits = torch.randn(8, 2)
weights = torch.tensor([1.0, 3.0], device=logits.device)
loss = nn.CrossEntropyLoss(weight=weights)(logits, torch.randint(2, (8,)))

# %% message: probabilities as targets
loss = F.cross_entropy(torch.randn(8, 10), torch.full((8, 10), 0.1), weight=torch.ones(9))
# %% fixed
labels = torch.arange(8)
loss = F.cross_entropy(
    torch.randn(8, 10), torch.full((8, 10), 0.1), weight=torch.bincount(labels, minlength=10).float()
)

# %% right: one weight for each class of a segmentation
weights, logits = torch.tensor([1.0, 4.0, 9.0]), torch.randn(2, 3, 8, 8)
loss = nn.CrossEntropyLoss(weight=weights)(logits, torch.randint(3, (2, 8, 8)))

# %% right: a weight for each sample, applied after the loss
weights, logits = torch.ones(3), torch.randn(16, 3)
each = nn.CrossEntropyLoss(weight=weights, reduction="none")(logits, torch.randint(3, (16,)))
loss = (each * torch.rand(16)).mean()

# %% message: too few weights for MultiMarginLoss
loss = nn.MultiMarginLoss(weight=torch.ones(3))(torch.randn(8, 4), torch.randint(4, (8,)))
