import numpy as np
import torch
from torch import nn

# %% a number, as a command line gives it
model, mode = nn.Sequential(nn.Linear(4, 4), nn.Dropout()), 1
model.train(mode)
# %% fixed
model, mode = nn.Sequential(nn.Linear(4, 4), nn.Dropout()), 1
mode = bool(mode)
model.train(mode)

# %% the name of a mode
model, mode = nn.BatchNorm1d(4), "eval"
model.train(mode)

# %% a comparison of NumPy
epochs = np.arange(10)
model, mode = nn.Linear(4, 2), epochs[3] < 5
model.train(mode)

# %% a tensor
model, mode = nn.LSTM(4, 8), torch.tensor(True)
model.train(mode)


# %% message: a subclass that gives train another meaning
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(4, 2)

    def train(self, episodes):
        for episode in episodes:
            self.policy(torch.zeros(1, 4))
        return super().train(episodes)


Agent().train(range(3))


# %% message: eval() of a class whose train takes no argument
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def train(self):
        print("training")


Net().eval()
# %% fixed
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def fit(self):
        print("training")


Net().eval()

# %% right: the mode as a boolean
model, mode = nn.Linear(4, 2), 3 < 5
model.train(mode)

# %% right: a boolean of NumPy, converted
epochs = np.arange(10)
model, mode = nn.Linear(4, 2), bool(epochs[3] < 5)
model.train(mode)
