import torch
from torch import nn

# %% the method instead of its result
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
passed = model.parameters
optimizer = torch.optim.AdamW(passed, lr=1e-3)
# %% fixed
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
passed = model.parameters()
optimizer = torch.optim.AdamW(passed, lr=1e-3)

# %% a model of layers in a row, whose elements are layers
passed = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(passed, lr=0.1)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8, 2))
passed = list(model.parameters())
optimizer = torch.optim.SGD(passed, lr=0.1)

# %% one tensor to be optimized
image = torch.rand(3, 32, 32, requires_grad=True)
passed = image
optimizer = torch.optim.Adam(passed, lr=0.05)
# %% fixed
image = torch.rand(3, 32, 32, requires_grad=True)
passed = [image]
optimizer = torch.optim.Adam([image], lr=0.05)

# %% the parameters of two models, as a list of generators
encoder, decoder = nn.GRU(8, 16), nn.Linear(16, 8)
passed = [encoder.parameters(), decoder.parameters()]
optimizer = torch.optim.RMSprop(passed, lr=1e-3)
# %% fixed
encoder, decoder = nn.GRU(8, 16), nn.Linear(16, 8)
passed = [*encoder.parameters(), *decoder.parameters()]
optimizer = torch.optim.RMSprop([*encoder.parameters(), *decoder.parameters()], lr=1e-3)

# %% a state dict
model = nn.Linear(8, 2)
passed = model.state_dict()
optimizer = torch.optim.SGD(passed, lr=0.1)
# %% fixed
model = nn.Linear(8, 2)
passed = list(model.parameters())
optimizer = torch.optim.SGD(passed, lr=0.1)

# %% a layer without bias
layer = nn.Linear(8, 2, bias=False)
passed = [layer.weight, layer.bias]
optimizer = torch.optim.SGD(passed, lr=0.1)
# %% fixed
layer = nn.Linear(8, 2, bias=False)
passed = [p for p in [layer.weight, layer.bias] if p is not None]
optimizer = torch.optim.SGD([p for p in [layer.weight, layer.bias] if p is not None], lr=0.1)

# %% a group whose params are a model
model = nn.ModuleDict({"body": nn.Linear(8, 8), "head": nn.LSTM(8, 2)})
passed = [{"params": model["head"], "lr": 1e-3}, {"params": model["body"].parameters()}]
optimizer = torch.optim.Adam(passed, lr=1e-4)
# %% fixed
model = nn.ModuleDict({"body": nn.Linear(8, 8), "head": nn.LSTM(8, 2)})
passed = [{"params": model["head"].parameters(), "lr": 1e-3}, {"params": model["body"].parameters()}]
optimizer = torch.optim.Adam(passed, lr=1e-4)

# %% a model that cannot be looped over
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 3)


passed = Classifier()
optimizer = torch.optim.Adam(passed, lr=1e-3)
# %% fixed
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 3)


passed = list(Classifier().parameters())
optimizer = torch.optim.Adam(passed, lr=1e-3)

# %% message: a function that returns nothing
class Settings:
    def trainable(self, model):
        [p for p in model.parameters() if p.requires_grad]


torch.optim.NAdam(Settings().trainable(nn.Linear(2, 2)))

# %% message: clipping of a model
model = nn.Linear(3, 1)
model(torch.rand(2, 3)).mean().backward()
nn.utils.clip_grad_norm_(model, 1.0)
# %% fixed
model = nn.Linear(3, 1)
model(torch.rand(2, 3)).mean().backward()
clip_grad_norm_ = nn.utils.clip_grad_norm_
clip_grad_norm_(model.parameters(), 1.0)

# %% message: start values as numbers
torch.optim.SGD([0.5, 1.5], lr=0.1)
# %% fixed
torch.optim.SGD([nn.Parameter(torch.tensor(0.5)), nn.Parameter(torch.tensor(1.5))], lr=0.1)

# %% message: a model of one's own in a list
class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(4, 2)


torch.optim.Adam([Actor(), Actor()], lr=3e-4)
# %% fixed
class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(4, 2)


first, second = Actor(), Actor()
torch.optim.Adam([*first.parameters(), *second.parameters()], lr=3e-4)

# %% message: more parameters for an optimizer
model, adapter = nn.Linear(8, 2), nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.add_param_group(adapter.parameters())
# %% fixed
model, adapter = nn.Linear(8, 2), nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.add_param_group({"params": adapter.parameters()})

# %% message: a set of parameters in a group
model = nn.Linear(8, 2)
torch.optim.SGD([{"params": {model.weight, model.bias}}], lr=0.1)

# %% right: names and parameters
model = nn.Linear(8, 2)
passed = model.named_parameters()
optimizer = torch.optim.SGD(passed, lr=0.1)

# %% right: a group with one tensor
scale = nn.Parameter(torch.ones(4))
passed = [{"params": scale, "lr": 0.1}]
optimizer = torch.optim.Adam(passed)
