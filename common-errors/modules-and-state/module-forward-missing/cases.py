import torch
from torch import nn

inputs = torch.rand(4, 8)

# %% a ModuleDict
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"price": nn.Linear(8, 1), "age": nn.Linear(8, 1)})

    def forward(self, features):
        return self.heads(features)


model = Net()
model(inputs)

# %% forward is misspelled
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 1)

    def foward(self, features):
        return self.fc(features)


model = Net()
model(inputs)

# %% forward is indented too far
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 1)

        def forward(self, features):
            return self.fc(features)


model = Net()
model(inputs)

# %% a list of layers in a Sequential
model = nn.Sequential(nn.Linear(8, 8), nn.ModuleList([nn.Linear(8, 8), nn.ReLU()]))
model(inputs)

# %% message: a list of parameters
scales = nn.ParameterList([nn.Parameter(torch.ones(8))])
scales(inputs)

# %% message: an empty module as a placeholder
backbone = nn.Module()
backbone.fc = nn.Linear(8, 1)
backbone(inputs)

# %% right: a list that is looped over
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(8, 8), nn.ReLU()])

    def forward(self, features):
        for block in self.blocks:
            features = block(features)
        return features


model = Net()
model(inputs)

# %% right: a container of losses that nobody calls
model = nn.Sequential(nn.Linear(8, 1))
model.losses = nn.ModuleDict({"mse": nn.MSELoss()})
model.forward = lambda features: model[0](features)
model(inputs)
