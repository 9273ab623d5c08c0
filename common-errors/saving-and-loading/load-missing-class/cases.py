import sys
import tempfile
import types
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
net = Path(folder.name, "net.pt")
models = types.ModuleType("models")  # stands for models.py
sys.modules["models"] = models


class Net(nn.Linear):
    pass


# %% a class of the training script
torch.save(Net(4, 2), net)
del Net
model = torch.load(net, weights_only=False)

# %% a model inside a checkpoint
torch.save({"epoch": 3, "model": Net(4, 2)}, net)
del Net
checkpoint = torch.load(net, map_location="cpu", weights_only=False)

# %% a class that was renamed
models.Net, Net.__module__ = Net, "models"
torch.save(Net(4, 2), net)
models.Classifier = Net
del models.Net
model = torch.load(net, weights_only=False)

# %% a module that was moved
models.Net, Net.__module__ = Net, "models"
torch.save(Net(4, 2), net)
del sys.modules["models"]
model = torch.load(net, weights_only=False)

# %% a function of the settings
def warmup(step):
    return min(1.0, step / 100)


torch.save({"model": nn.Linear(4, 2).state_dict(), "schedule": warmup}, net)
del warmup
checkpoint = torch.load(net, weights_only=False)

# %% message: a function of a newer torch
torch._utils.rebuild_newer, Net.__module__, Net.__qualname__ = Net, "torch._utils", "rebuild_newer"
torch.save(Net(4, 2), net)
del torch._utils.rebuild_newer
model = torch.load(net, weights_only=False)

# %% message: a process that was spawned
sys.modules["__mp_main__"] = types.ModuleType("__mp_main__")
sys.modules["__mp_main__"].Net, Net.__module__ = Net, "__mp_main__"
torch.save(Net(4, 2), net)
del sys.modules["__mp_main__"].Net
model = torch.load(net, weights_only=False)

# %% right: the class is here
torch.save(Net(4, 2), net)
model = torch.load(net, weights_only=False)

# %% right: the weights alone
torch.save(Net(4, 2).state_dict(), net)
del Net
weights = torch.load(net)
