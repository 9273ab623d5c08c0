import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def train(model, batches, loss_fn):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for inputs, target in batches:
        optimizer.zero_grad()
        loss_fn(model(inputs), target).backward()
        optimizer.step()


# %% images that are pooled to one value, three in a batch
model = nn.Sequential(
    nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 4)
)
batch = torch.randn(3, 3, 12, 12)
train(model, [(torch.randn(3, 3, 12, 12), torch.randint(4, (3,))) for _ in range(20)], F.cross_entropy)
# %% fixed
model = nn.Sequential(
    nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 4)
)
batch = torch.randn(3, 3, 12, 12)
train(model, [(torch.randn(3, 3, 12, 12), torch.randint(4, (3,))) for _ in range(20)], F.cross_entropy)

# %% vectors, four in a batch, without learned scales
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16, affine=False), nn.Tanh(), nn.Linear(16, 1))
batch = torch.randn(4, 6)
train(model, [(torch.randn(4, 6), torch.randn(4, 1)) for _ in range(20)], F.mse_loss)

# %% right: two images in a batch, with a feature map for each channel
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 2, 1))
batch = torch.randn(2, 3, 16, 16)
train(model, [(torch.randn(2, 3, 16, 16), torch.randint(2, (2, 14, 14))) for _ in range(20)], F.cross_entropy)

# %% right: batches of 32, the last of which has two samples
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 1))
batch = torch.randn(32, 6)
train(model, [(part, part.sum(1, keepdim=True)) for _ in range(6) for part in torch.randn(98, 6).split(32)], F.mse_loss)

# %% right: group normalization for small batches
model = nn.Sequential(nn.Linear(6, 16), nn.GroupNorm(4, 16), nn.Tanh(), nn.Linear(16, 1))
batch = torch.randn(2, 6)
train(model, [(torch.randn(2, 6), torch.randn(2, 1)) for _ in range(20)], F.mse_loss)

# %% right: one branch with global pooling among feature maps, as in DeepLab
class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8))
        self.branch = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8), nn.ReLU())
        self.head = nn.Conv2d(8, 2, 1)

    def forward(self, images):
        maps = self.body(images)
        return self.head(maps + self.branch(maps))


model = Pooled()
batch = torch.randn(4, 3, 20, 20)
train(model, [(torch.randn(4, 3, 20, 20), torch.randint(2, (4, 7, 7))) for _ in range(20)], F.cross_entropy)

# %% watched: a class with an LSTM and an adaptive optimizer, two sequences in a batch
class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.norm, self.head = nn.LSTM(4, 8, batch_first=True), nn.BatchNorm1d(8), nn.Linear(8, 3)

    def forward(self, sequences):
        return self.head(self.norm(self.rnn(sequences)[0][:, -1]))


class Trainer:
    def __init__(self):
        self.model = Reader()
        self.optimizer = torch.optim.Adadelta(self.model.parameters())

    def fit(self):
        for _ in range(30):
            self.optimizer.zero_grad(set_to_none=True)
            nn.NLLLoss()(self.model(torch.randn(2, 7, 4)).log_softmax(-1), torch.randint(3, (2,))).backward()
            self.optimizer.step()


Trainer().fit()

# %% watched: layers called one by one, gradients accumulated over eight batches of two
first, norm, last = nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Linear(16, 1)
optimizer = torch.optim.AdamW([*first.parameters(), *norm.parameters(), *last.parameters()])
for number in range(64):
    inputs = torch.randn(2, 6)
    (F.l1_loss(last(norm(first(inputs)).relu())[:, 0], inputs.sum(1)) / 8).backward()
    if number % 8 == 7:
        optimizer.step()
        optimizer.zero_grad()
