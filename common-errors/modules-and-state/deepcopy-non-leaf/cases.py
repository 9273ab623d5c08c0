import copy

import torch
from torch import nn
from torch.nn.utils import prune

# %% weight_norm as it was before parametrizations
model = nn.Sequential(torch.nn.utils.weight_norm(nn.Linear(2, 3)), nn.Linear(3, 10))
twin = copy.deepcopy(model)
# %% fixed
model = nn.Sequential(torch.nn.utils.parametrizations.weight_norm(nn.Linear(2, 3)), nn.Linear(3, 10))
twin = copy.deepcopy(model)

# %% a pruned layer
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
prune.l1_unstructured(model[0], "weight", 0.5)
twin = copy.deepcopy(model)

# %% losses collected in the model
model = nn.Linear(4, 1)
model.history = []
for _ in range(3):
    model.history.append(model(torch.randn(8, 4)).mean())
twin = copy.deepcopy(model)

# %% the state of an LSTM is kept
model = nn.ModuleDict({"lstm": nn.LSTM(4, 8, batch_first=True)})
outputs, model.state = model["lstm"](torch.randn(2, 5, 4))
twin = copy.deepcopy(model)


# %% a buffer that is updated with gradients
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        x = self.fc(x)
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return x - self.mean


model = Scaled()
model(torch.randn(8, 4))
twin = copy.deepcopy(model)

# %% message: a prediction is copied
x = nn.Linear(4, 1)(torch.randn(8, 4))
kept = copy.deepcopy(x)

# %% message: a batch with embeddings of a model
batch = {"image": torch.rand(2, 3), "embedding": nn.Linear(3, 4)(torch.rand(2, 3))}
kept = copy.deepcopy(batch)

# %% right: the mask of a pruned layer was applied for good
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
prune.l1_unstructured(model[0], "weight", 0.5)
prune.remove(model[0], "weight")
twin = copy.deepcopy(model)

# %% right: a model after a training step
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
model(torch.randn(8, 4)).mean().backward()
twin = copy.deepcopy(model)

# %% right: activations are detached by a hook
model, seen = nn.Linear(4, 1), []
model.register_forward_hook(lambda module, args, output: seen.append(output.detach()))
model(torch.randn(8, 4))
twin = copy.deepcopy(model)
