import torch
from torch import nn

torch.manual_seed(0)

# %% pixels without a class
model = nn.Conv2d(3, 21, 3, padding=1)
batch, labels = torch.randn(2, 3, 8, 8), torch.randint(21, (2, 8, 8))
labels[:, 0] = 255
classes = model(batch).shape[1]
loss = nn.functional.cross_entropy(model(batch), labels)
# %% fixed
model = nn.Conv2d(3, 21, 3, padding=1)
batch, labels = torch.randn(2, 3, 8, 8), torch.randint(21, (2, 8, 8))
labels[:, 0] = ignore_index = 255
classes = model(batch).shape[1]
loss = nn.functional.cross_entropy(model(batch), labels, ignore_index=255)

# %% a mask in which 255 is the object
model = nn.Conv2d(3, 2, 3, padding=1)
batch, labels = torch.randn(2, 3, 8, 8), 255 * torch.randint(2, (2, 8, 8))
classes = model(batch).shape[1]
loss = nn.functional.cross_entropy(model(batch), labels)
# %% fixed
model = nn.Conv2d(3, 2, 3, padding=1)
batch, mask = torch.randn(2, 3, 8, 8), 255 * torch.randint(2, (2, 8, 8))
labels = (mask > 0).long()
classes = model(batch).shape[1]
loss = nn.functional.cross_entropy(model(batch), labels)

# %% one output for two classes
model = nn.Linear(8, 1)
batch, labels = torch.randn(16, 8), torch.tensor([0, 1] * 8)
classes = model(batch).shape[1]
loss = nn.CrossEntropyLoss()(model(batch), labels)
# %% fixed
model = nn.Linear(8, 2)  # with the one output, BCEWithLogitsLoss
batch, labels = torch.randn(16, 8), torch.tensor([0, 1] * 8)
classes = model(batch).shape[1]
loss = nn.CrossEntropyLoss()(model(batch), labels)

# %% one class more than outputs
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4), nn.LogSoftmax(dim=1))
batch, labels = torch.randn(20, 8), torch.arange(5).repeat(4)
classes = 4
loss = nn.NLLLoss()(model(batch), labels)
# %% fixed
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5), nn.LogSoftmax(dim=1))
batch, labels = torch.randn(20, 8), torch.arange(5).repeat(4)
classes = 5
loss = nn.NLLLoss()(model(batch), labels)

# %% message: category ids with gaps, in a class that trains


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.CrossEntropyLoss(label_smoothing=0.1)

    def training_step(self, inputs, category_ids):
        return self.criterion(self.model(inputs), category_ids)


Trainer(nn.Linear(8, 80)).training_step(torch.randn(3, 8), torch.tensor([1, 90, 18]))

# %% message: -1 for samples without a label
loss = nn.functional.cross_entropy(torch.randn(4, 3), torch.tensor([0, 2, -1, 1]))
# %% fixed
loss = nn.functional.cross_entropy(torch.randn(4, 3), torch.tensor([0, 2, -1, 1]), ignore_index=-1)

# %% message: -100 next to another ignore_index
token_labels = torch.tensor([-100, 0, 3, 1, -100])
loss = nn.functional.cross_entropy(torch.randn(5, 4), token_labels, ignore_index=0)

# %% message: what NaN becomes as an integer, on x86
labels = torch.tensor([0, torch.iinfo(torch.int64).min])
loss = nn.functional.cross_entropy(torch.randn(2, 4), labels)

# %% message: one_hot with too few classes
encoded = nn.functional.one_hot(torch.tensor([[0, 3], [4, 1]]), num_classes=4)

# %% message: one_hot of a mask with unlabeled pixels
encoded = nn.functional.one_hot(torch.tensor([[0, -1], [2, 1]]), num_classes=4)

# %% message: a margin loss
loss = nn.MultiMarginLoss()(torch.randn(3, 5), torch.tensor([0, 5, 1]))

# %% right: padding that is ignored by default
model = nn.Linear(8, 5)
batch, labels = torch.randn(6, 8), torch.tensor([0, 4, -100, 2, 3, 1])
classes = model(batch).shape[1]
loss = nn.functional.cross_entropy(model(batch), labels)

# %% message: a softmax in clusters
loss = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6])(torch.randn(2, 8), torch.tensor([1, 10]))

# %% right: tokens of one sentence, none of which is 0
labels = torch.tensor([[5, 6, 49, -100]])
classes = 50
loss = nn.functional.cross_entropy(torch.randn(4, 50), labels.view(-1))

# %% right: a batch that ignores all labels
labels, classes = torch.full((4,), -100), 5
loss = nn.functional.cross_entropy(torch.randn(4, 5), labels)

# %% right: probabilities as targets
labels, classes = torch.rand(4, 5).softmax(1), 5
loss = nn.functional.cross_entropy(torch.randn(4, 5), labels)

# %% right: fewer classes in the labels than logits
model = nn.Linear(8, 1000)
batch, labels = torch.randn(6, 8), torch.tensor([0, 417, 3, 3, 0, 8])
classes = model(batch).shape[1]
loss = nn.functional.cross_entropy(model(batch), labels)
