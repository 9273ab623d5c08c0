import tempfile
import threading
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "model.pt")
model = nn.Sequential(nn.Linear(8, 4))


def build(width):
    class Block(nn.Linear):
        pass

    return Block(width, width)


# %% a schedule in the checkpoint
content = {"model": model.state_dict(), "schedule": lambda epoch: 0.9**epoch}
torch.save(content, path)

# %% a class that a function defines
content = build(4)
torch.save(content, path)

# %% a lock
content = model
model.lock = threading.Lock()
torch.save(content, path)

# %% a hook that was left behind
content = model
model[0].register_forward_hook(lambda module, args, output: None)
torch.save(content, path)

# %% a generator of batches
content = {"model": model.state_dict(), "batches": (torch.rand(2) for _ in range(3))}
torch.save(content, path)

# %% a class that was defined again
class Net(nn.Linear):
    pass


content = Net(4, 2)


class Net(nn.Linear):
    pass


torch.save(content, path)

# %% message: weight normalization
content = nn.utils.parametrizations.weight_norm(nn.Linear(4, 2))
torch.save(content, path)

# %% right: the weights of a model with a hook
model[0].register_forward_hook(lambda module, args, output: None)
content = model.state_dict()
torch.save(content, path)

# %% right: a function of torch
content = {"model": model.state_dict(), "activation": torch.relu}
torch.save(content, path)
