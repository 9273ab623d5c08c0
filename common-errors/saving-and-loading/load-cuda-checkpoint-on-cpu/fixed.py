import os
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # no GPU in this process, whatever the machine has
import torch
from torch import nn

# Stands for a machine with a GPU: each storage is saved with the mark that its weights would have there.
torch.serialization.register_package(0, lambda storage: "cuda:0", lambda storage, location: None)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.pt")
    torch.save(model.state_dict(), path)

    weights = torch.load(path, map_location="cpu")  # wherever they were saved, they are put here
    model.load_state_dict(weights)
    print({name: str(weight.device) for name, weight in weights.items()})
