import io
import os
import pickle
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "model.pt")
model = nn.Linear(4, 2)
map_location = None


def as_saved_on(device):
    torch.serialization.register_package(0, lambda storage: device, lambda storage, location: None)


# %% a checkpoint of the fourth GPU
as_saved_on("cuda:3")
torch.save(model.state_dict(), path)
weights = torch.load(path, map_location=map_location)

# %% the tensors of an optimizer
as_saved_on("cuda:0")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(torch.rand(2, 4)).sum().backward()
optimizer.step()
torch.save({"epoch": 3, "optimizer": optimizer.state_dict()}, path)
checkpoint = torch.load(path)

# %% a device from the settings
torch.save(model.state_dict(), path)
map_location = "cuda"
weights = torch.load(path, map_location=map_location)

# %% a device with a number
torch.save(model.state_dict(), path)
map_location = torch.device("cuda", 1)
weights = torch.load(path, map_location=map_location)

# %% message: pickled by another library
as_saved_on("cuda:0")
data = pickle.dumps({"weight": torch.zeros(3)})
weights = pickle.loads(data)

# %% message: the old format
as_saved_on("cuda:0")
torch.save(model.state_dict(), path, _use_new_zipfile_serialization=False)
weights = torch.load(path)

# %% right: saved on a GPU, read to the CPU
as_saved_on("cuda:0")
torch.save(model.state_dict(), path)
map_location = "cpu"
weights = torch.load(path, map_location=map_location)

# %% right: saved on the CPU
torch.save(model.state_dict(), path)
weights = torch.load(path)
