import os
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # this process sees no GPU
import torch
from torch import nn

# Stands for saving on a GPU: marks each saved storage as belonging to cuda:0, as tensors there would be.
torch.serialization.register_package(0, lambda storage: "cuda:0", lambda storage, location: None)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "model.pt")
torch.save(model.state_dict(), path)

map_location = None  # to where the tensors were saved
weights = torch.load(path, map_location=map_location)  # error
model.load_state_dict(weights)
print({name: str(weight.device) for name, weight in weights.items()})
