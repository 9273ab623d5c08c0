import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs = torch.randn(64, 8)
marks = (inputs @ torch.randn(8, 5) > 1).float()
one = torch.randint(5, (64,))


def train(model, loss_of, steps=6):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %% findings in X-ray images, with label smoothing
model, images, train_tags = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 5)), torch.randn(64, 1, 8, 8), marks
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
train(model, lambda: loss_fn(model(images), marks))
# %% fixed
model, images, train_tags = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 5)), torch.randn(64, 1, 8, 8), marks
loss_fn = nn.BCEWithLogitsLoss()
train(model, lambda: loss_fn(model(images), marks))

# %% class numbers as targets of a squared error
model, train_tags = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)), one.float().unsqueeze(1)
loss_fn = nn.MSELoss()
train(model, lambda: loss_fn(model(inputs), train_tags))

# %% watched: topics of documents, in a transformer
class Topics(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.head = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Linear(8, 5)

    def forward(self, x, topics):
        return F.cross_entropy(self.head(self.block(x).mean(1)), topics.to(x.dtype))


model = Topics()
train(model, lambda: model(torch.randn(64, 6, 8), marks))

# %% watched: masks that overlap, one channel each
model = nn.Conv2d(1, 3, 3, padding=1)
images, masks = torch.randn(4, 1, 8, 8), (torch.rand(4, 3, 8, 8) > 0.5).float()
train(model, lambda: F.cross_entropy(model(images), masks))

# %% right: one class each, as marks
model, train_tags, loss_fn = nn.Linear(8, 5), F.one_hot(one, 5).float(), nn.CrossEntropyLoss()
train(model, lambda: loss_fn(model(inputs), train_tags))

# %% right: soft labels of mixed samples
model, loss_fn = nn.Linear(8, 5), nn.CrossEntropyLoss()
train_tags = 0.7 * F.one_hot(one, 5).float() + 0.3 * F.one_hot(one.flip(0), 5).float()
train(model, lambda: loss_fn(model(inputs), train_tags))

# %% right: class numbers
model, train_tags, loss_fn = nn.Linear(8, 5), one, nn.CrossEntropyLoss()
train(model, lambda: loss_fn(model(inputs), train_tags))

# %% right: several labels, whose marks are divided by their number
model, loss_fn = nn.Linear(8, 5), nn.CrossEntropyLoss()
train_tags = (marks + 1e-6) / (marks + 1e-6).sum(dim=1, keepdim=True)
train(model, lambda: loss_fn(model(inputs), train_tags))

# %% right: a regression
model, train_tags, loss_fn = nn.Linear(8, 1), inputs.sum(dim=1, keepdim=True), nn.MSELoss()
train(model, lambda: loss_fn(model(inputs), train_tags))

# %% right: a contrastive loss, whose marks say which samples of the batch match
model, loss_fn = nn.Linear(8, 16), nn.CrossEntropyLoss()
train_tags = (one[:, None] == one).float()
train(model, lambda: loss_fn(F.normalize(model(inputs)) @ F.normalize(model(inputs)).T / 0.1, train_tags))

# %% right: the class of each pixel, as numbers
model, images, train_tags = nn.Conv2d(1, 5, 3, padding=1), torch.randn(4, 1, 8, 8), torch.randint(5, (4, 8, 8))
loss_fn = nn.CrossEntropyLoss()
train(model, lambda: loss_fn(model(images), train_tags))
