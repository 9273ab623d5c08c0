import tempfile

import torch
from torch import nn

torch.manual_seed(0)
folder = tempfile.TemporaryDirectory()
path = "/dev/full"  # Linux answers every write to this file as a full disk does

# %% the weights of a model
torch.save(nn.Linear(64, 64).state_dict(), path)
# %% fixed
path = f"{folder.name}/weights.pt"
torch.save(nn.Linear(64, 64).state_dict(), path)

# %% a whole model
torch.save(nn.Sequential(nn.Linear(256, 256), nn.ReLU()), path)

# %% many small tensors
torch.save([torch.full((10,), number) for number in range(200)], path)

# %% features of a dataset
torch.save({"features": torch.randn(2000, 128), "labels": torch.arange(2000)}, path)

# %% a single number
torch.save({"epoch": 3}, path)

# %% message: an open file
with open(path, "wb") as file:
    torch.save(torch.randn(2000, 128), file)

# %% right: a disk with free space
path = f"{folder.name}/features.pt"
torch.save(torch.randn(2000, 128), path)
