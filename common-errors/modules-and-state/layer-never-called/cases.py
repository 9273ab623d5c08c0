import torch
from torch import nn

torch.manual_seed(0)
inputs, targets = torch.randn(64, 6), torch.randn(64, 1)
loss_of = lambda: nn.functional.mse_loss(model(inputs), targets)


def train(model, steps=20):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 16), nn.Linear(16, 16)
        self.third, self.head = nn.Linear(16, 16), nn.Linear(16, 1)


# %% one layer is called twice, the other never
class Net(Base):
    def forward(self, inputs):
        hidden = self.first(inputs).relu()
        hidden = self.second(hidden).relu()
        return self.head(self.second(hidden).relu())


model = Net()
train(model)


# %% a branch whose result is overwritten before it is computed
class Net(Base):
    def forward(self, inputs):
        hidden = self.first(inputs).relu()
        return self.head(hidden + torch.tanh(self.third(hidden)))


model = Net()
train(model)


# %% right: all layers are called
class Net(Base):
    def forward(self, inputs):
        return self.head(self.third(self.second(self.first(inputs).relu()).relu()).relu())


model = Net()
train(model)


# %% right: the weight of a layer is used by a function
class Functional(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.head = nn.Linear(6, 16), nn.Linear(16, 1)

    def forward(self, inputs):
        return self.head(nn.functional.linear(inputs, self.first.weight, self.first.bias).relu())


model = Functional()
train(model)
