import torch
from torch import nn

torch.manual_seed(0)
features, marks = torch.randn(32, 6), torch.randn(32, 3)


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = nn.Linear(6, 16), nn.Linear(3, 16), nn.Linear(16, 2)


# %% a result that is overwritten
class Net(Base):
    def forward(self, features, marks):
        hidden = self.second(marks)
        hidden = self.first(features)
        return self.head(hidden.relu())


model, inputs = Net(), (features, marks)


# %% a gate that is multiplied by zero
class Net(Base):
    def forward(self, features, marks):
        return self.head((self.first(features) + 0 * self.second(marks)).relu())


model, inputs = Net(), (features, marks)


# %% watched: a mask that attention does not get
class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, words, padding):
        return self.head(self.layer(self.words(words)).mean(dim=1))


words = torch.randint(20, (32, 9))
model, inputs = Reader(), (words, torch.arange(9) >= torch.randint(4, 9, (32, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
nn.functional.cross_entropy(model(*inputs), words[:, 0] % 2).backward()
optimizer.step()

# %% watched: a model that reads half of the time steps
model, inputs = nn.GRU(3, 8, batch_first=True), (torch.randn(32, 12, 3)[:, ::2],)


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps, self.head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, series):
        return self.head(self.steps(series[:, 6:])[0][:, -1])


model, inputs = Half(), (torch.randn(32, 12, 3),)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
nn.functional.mse_loss(model(*inputs), torch.randn(32, 1)).backward()
optimizer.step()


# %% right: padding does not reach the output
class Padded(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(20, 16, padding_idx=0), nn.Linear(16, 2)

    def forward(self, words, lengths):
        return self.head(self.words(words).sum(dim=1) / lengths[:, None])


lengths = torch.randint(3, 8, (32,))
words = torch.randint(1, 20, (32, 9)).masked_fill(torch.arange(9) >= lengths[:, None], 0)
model, inputs = Padded(), (words, lengths)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
nn.functional.cross_entropy(model(*inputs), lengths % 2).backward()
optimizer.step()


# %% undecided: a mask of ones
class Net(Base):
    def forward(self, features, marks):
        return self.head((self.first(features) * marks[:, :1]).relu())


model, inputs = Net(), (features, torch.ones(32, 3))
