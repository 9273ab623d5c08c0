import torch
from torch import nn

torch.manual_seed(0)
bce = nn.functional.binary_cross_entropy_with_logits

# %% labels from one column of a table, selected with a list
table = torch.cat([torch.randn(16, 4), torch.ones(16, 1)], dim=1)
logits, targets = nn.Linear(4, 1)(table[:, :4]).squeeze(1), table[:, [4]]
loss = bce(logits, targets)
# %% fixed
table = torch.cat([torch.randn(16, 4), torch.ones(16, 1)], dim=1)
logits, targets = nn.Linear(4, 1)(table[:, :4]).squeeze(1), table[:, [4]]
targets = targets.squeeze(1)
loss = bce(logits, targets)

# %% masks without a channel
model = nn.Conv2d(3, 1, 3, padding=1)
batch, targets = torch.randn(8, 3, 16, 16), torch.ones(8, 16, 16)
logits = model(batch)
loss = nn.BCELoss()(logits.sigmoid(), targets)
# %% fixed
model = nn.Conv2d(3, 1, 3, padding=1)
batch, targets = torch.randn(8, 3, 16, 16), torch.ones(8, 16, 16)
logits, targets = model(batch), targets.unsqueeze(1)
loss = nn.BCELoss()(logits.sigmoid(), targets)

# %% one of ten classes per sample
logits, targets = nn.Linear(8, 10)(torch.randn(32, 8)), torch.randint(10, (32,)).float()
loss = bce(logits, targets)
# %% fixed
logits, labels = nn.Linear(8, 10)(torch.randn(32, 8)), torch.randint(10, (32,)).float()
targets = nn.functional.one_hot(labels.long(), 10).float()  # for the confirmation only
loss = nn.functional.cross_entropy(logits, labels.long())

# %% masks read with three channels, in a class that trains


class Segmenter:
    def __init__(self, model):
        self.model, self.criterion = model, nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))

    def training_step(self, images, masks):
        return self.criterion(self.model(images), masks)


images, targets = torch.randn(1, 3, 32, 32), torch.ones(1, 3, 32, 32)
segmenter = Segmenter(nn.Conv2d(3, 1, 3, padding=1))
logits = segmenter.model(images)
segmenter.training_step(images, targets)

# %% message: squeeze() and a last batch of one sample
logits = nn.Linear(8, 1)(torch.randn(1, 8)).squeeze()
loss = bce(logits, torch.ones(1))
# %% fixed
x = nn.Linear(8, 1)(torch.randn(1, 8))
loss = bce(x.squeeze(1), torch.ones(1))

# %% message: the mean of a batch against its labels
loss = bce(nn.Linear(8, 1)(torch.randn(16, 8)).mean(), torch.ones(16))

# %% message: label numbers instead of rows of 0 and 1
loss = bce(torch.randn(2, 10), torch.tensor([[3.0, 7.0], [0.0, 4.0]]))

# %% message: a discriminator that judges patches
loss = nn.BCELoss()(torch.rand(4, 1, 13, 13), torch.ones(4))

# %% message: the same values in another order of dimensions
loss = bce(torch.randn(1, 491), torch.ones(491))
# %% fixed
logits, targets = torch.randn(1, 491), torch.ones(491)
loss = bce(logits, targets.reshape(logits.shape))

# %% message: a smaller output than the mask
loss = nn.BCELoss()(torch.rand(2, 1, 30, 30), torch.ones(2, 1, 32, 32))

# %% message: one mask, and an output channel for each of two classes
loss = bce(nn.Conv2d(3, 2, 1)(torch.randn(1, 3, 16, 16)), torch.ones(1, 1, 16, 16))
# %% fixed
logits, masks = nn.Conv2d(3, 2, 1)(torch.randn(1, 3, 16, 16)), torch.ones(1, 1, 16, 16)
loss = nn.functional.cross_entropy(logits, masks.squeeze(1).long())

# %% message: masks of more classes than the model has channels
loss = bce(torch.randn(2, 20, 8, 8), torch.ones(2, 32, 8, 8))

# %% message: two outputs for one of two classes
loss = nn.BCELoss()(torch.rand(32, 2), torch.ones(32))
# %% fixed
logits, labels = torch.rand(32, 2), torch.ones(32)
loss = nn.functional.cross_entropy(logits, labels.long())

# %% message: a sequence of logits with a last dimension of length 1
loss = bce(nn.Linear(16, 1)(torch.randn(32, 50, 16)), torch.ones(32, 50))
# %% fixed
logits, targets = nn.Linear(16, 1)(torch.randn(32, 50, 16)), torch.ones(32, 50)
loss = bce(logits.squeeze(-1), targets)

# %% message: other samples in the labels
loss = bce(torch.randn(1, 1), torch.ones(32, 1))

# %% right: several labels at once
logits, targets = nn.Linear(8, 10)(torch.randn(32, 8)), torch.randint(2, (32, 10)).float()
loss = bce(logits, targets)

# %% right: columns on both sides
logits, targets = nn.Linear(8, 1)(torch.randn(32, 8)), torch.ones(32, 1)
loss = bce(logits, targets)
