import torch
from torch import nn

torch.manual_seed(0)


# %% eval of a decoder that keeps its model
class Decoder(nn.Module):
    def __init__(self, owner):
        super().__init__()
        self.owner = owner
        self.out = nn.Linear(16, 100)

    def forward(self, hidden):
        return self.out(hidden) + self.owner.bias


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = 0.1
        self.encoder = nn.Embedding(100, 16)
        self.decoder = Decoder(self)

    def forward(self, tokens):
        return self.decoder(self.encoder(tokens))


model = Translator()
model.eval()
# %% fixed
class Decoder(nn.Module):
    def __init__(self, owner):
        super().__init__()
        object.__setattr__(self, "owner", owner)
        self.out = nn.Linear(16, 100)

    def forward(self, hidden):
        return self.out(hidden) + self.owner.bias


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = 0.1
        self.encoder = nn.Embedding(100, 16)
        self.decoder = Decoder(self)

    def forward(self, tokens):
        return self.decoder(self.encoder(tokens))


model = Translator()
model.eval()


# %% state_dict of blocks that know each other
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)


model = nn.Sequential(Block(), Block(), Block())
for block, following in zip(model, [*model[1:], model[0]]):
    block.following = following
weights = model.state_dict()
# %% fixed
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)


model = nn.Sequential(Block(), Block(), Block())
for block, following in zip(model, [*model[1:], model[0]]):
    object.__setattr__(block, "following", following)
weights = model.state_dict()

# %% weights loaded into a model in itself
model = nn.Linear(4, 2)
weights = model.state_dict()
model.teacher = model
model.load_state_dict(weights)
# %% fixed
model = nn.Linear(4, 2)
weights = model.state_dict()
object.__setattr__(model, "teacher", model)
model.load_state_dict(weights)

# %% a printed model
model = nn.ModuleDict({"body": nn.Linear(4, 4)})
model["all"] = model
print(model)
# %% fixed
model = nn.ModuleDict({"body": nn.Linear(4, 4)})
object.__setattr__(model, "all", model)
print(model)

# %% initial weights with apply
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
model[0].parent = model


def initialize(module):
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


model.apply(initialize)
# %% fixed
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
object.__setattr__(model[0], "parent", model)


def initialize(module):
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)


model.apply(initialize)


# %% a wrapper that passes attributes on
class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def __getattr__(self, name):
        return getattr(self.module, name)

    def forward(self, x):
        return self.module(x)


model = Wrapper(nn.Linear(4, 2))
print(model.in_features)
# %% fixed
class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)

    def forward(self, x):
        return self.module(x)


model = Wrapper(nn.Linear(4, 2))
print(model.in_features)


# %% DataParallel with the attributes of its module
class Parallel(nn.DataParallel):
    def __getattr__(self, name):
        return getattr(self.module, name)


model = Parallel(nn.Linear(4, 2))
outputs = model(torch.zeros(1, 4))

# %% fixed
class Parallel(nn.DataParallel):
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)


model = Parallel(nn.Linear(4, 2))
outputs = model(torch.zeros(1, 4))

# %% message: half precision
model = nn.ModuleList([nn.Linear(4, 4)])
model.append(model)
model.half()
# %% fixed
model = nn.ModuleList([nn.Linear(4, 4)])
object.__setattr__(model, "parent", model)
model.half()

# %% message: shared memory, between two frames of torch
model = nn.Linear(4, 4)
model.child = nn.Sequential(model)
model.share_memory()
# %% fixed
model = nn.Linear(4, 4)
object.__setattr__(model, "child", nn.Sequential(model))
model.share_memory()

# %% right: a module used twice
shared = nn.Linear(4, 4)
model = nn.Sequential(shared, nn.ReLU(), shared)
model.to("cpu").eval()


# %% right: a reference that is not registered
class Layer(nn.Linear):
    pass


model = nn.Sequential(Layer(4, 4), nn.ReLU())
model[0].parent = [model]
model.to("cpu").eval()
