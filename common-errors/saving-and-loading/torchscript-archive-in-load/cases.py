import io
import tempfile
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "model.pt"

# %% a traced network
torch.jit.trace(nn.Conv2d(3, 8, 3), torch.zeros(1, 3, 16, 16)).save(path)
state = torch.load(path, map_location="cpu")
# %% fixed
model = nn.Conv2d(3, 8, 3)
torch.jit.trace(model, torch.zeros(1, 3, 16, 16)).save(path)
model.load_state_dict(torch.jit.load(path).state_dict())
torch.save(model.state_dict(), path)

# %% with weights_only, in memory
path = io.BytesIO()
torch.jit.save(torch.jit.script(nn.LSTM(8, 16)), path)
path.seek(0)
state = torch.load(path, weights_only=True)

# %% a model that was frozen for inference
torch.jit.freeze(torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).eval())).save(path)
network = torch.load(path)


# %% a class that holds a model beside other values
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)
        self.scale = 10.0

    def forward(self, x):
        return self.net(x) * self.scale


torch.jit.script(Scaled()).save(path)
checkpoint = torch.load(path)

# %% message: read as a dict, without weights_only
torch.jit.script(nn.Linear(2, 2)).save(path)
names = list(torch.load(path, weights_only=False).keys())
# %% fixed
torch.jit.script(nn.Linear(2, 2)).save(path)
names = list(torch.jit.load(path).state_dict().keys())

# %% right: a state dict
model = nn.Linear(2, 2)
torch.save(model.state_dict(), path)
model.load_state_dict(torch.load(path))

# %% right: a state dict in the format of before 1.6
model = nn.Linear(2, 2)
torch.save(model.state_dict(), path, _use_new_zipfile_serialization=False)
model.load_state_dict(torch.load(path))
