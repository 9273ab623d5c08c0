import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
batch = torch.randn(8, 16)


# %% a dictionary of heads
class TwoTasks(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 32)
        self.heads = {"age": nn.Linear(32, 1), "sex": nn.Linear(32, 1)}

    def forward(self, features):
        features = self.body(features).relu()
        return torch.cat([head(features) for head in self.heads.values()], dim=1)


model = TwoTasks()
outputs = model(batch)
# %% fixed
class TwoTasks(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 32)
        self.heads = nn.ModuleDict({"age": nn.Linear(32, 1), "sex": nn.Linear(32, 1)})

    def forward(self, features):
        features = self.body(features).relu()
        return torch.cat([head(features) for head in self.heads.values()], dim=1)


model = TwoTasks()
outputs = model(batch)

# %% a list of nn.Parameter
class Prompts(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 32)
        self.scales = [nn.Parameter(torch.ones(32)) for _ in range(2)]

    def forward(self, features):
        features = self.body(features)
        for scale in self.scales:
            features = features * scale
        return features


model = Prompts()
outputs = model(batch)

# %% a layer that is created in forward
class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 32)

    def forward(self, features):
        return nn.Linear(32, 4)(self.body(features).relu())


model = Lazy()
outputs = model(batch)

# %% an LSTM in a tuple
class Encoders(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoders = (nn.LSTM(16, 8), nn.LSTM(16, 8))
        self.head = nn.Linear(16, 2)

    def forward(self, features):
        return self.head(torch.cat([encoder(features)[0] for encoder in self.encoders], dim=-1))


model = Encoders()
outputs = model(batch)

# %% right: a ReLU created in forward, and checkpointed layers in a ModuleList
class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(16, 16) for _ in range(2))

    def forward(self, features):
        for block in self.blocks:
            features = checkpoint(nn.ReLU(), block(features), use_reentrant=False)
        return features


model = Blocks()
outputs = model(batch)

# %% right: a frozen teacher that is not registered on purpose
class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 4)
        self.teacher = [nn.Linear(16, 4).requires_grad_(False)]

    def forward(self, features):
        return self.body(features) - self.teacher[0](features)


model = Student()
outputs = model(batch)

# %% watched: stages that are lists of blocks
class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = ([nn.Linear(16, 16), nn.Linear(16, 16)], [nn.Linear(16, 16)])
        self.head = nn.Linear(16, 1)

    def forward(self, features):
        for stage in self.stages:
            for block in stage:
                features = features + block(features).relu()
        return self.head(features)


model = Backbone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()

# %% right: a list of layers that have names of their own, and a frozen one
class Staged(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(16, 16), nn.Linear(16, 2)
        self.stages = [self.first]

    def forward(self, features):
        return self.last(self.stages[0](features).relu())


model = Staged()
optimizer = torch.optim.SGD(model.last.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    outputs = model(batch)
    outputs.square().mean().backward()
    optimizer.step()
