import tempfile
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "classifier.pt"


def build():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))


torch.jit.script(build()).save(path)  # what the export step wrote

# Convert once: a TorchScript archive is read by torch.jit.load, and its weights have the names of the module.
weights = torch.jit.load(path, map_location="cpu").state_dict()
path = path.with_name("weights.pt")
torch.save(weights, path)

model = build()
model.load_state_dict(torch.load(path))
print(f"weights: {sum(p.numel() for p in model.parameters())}")
