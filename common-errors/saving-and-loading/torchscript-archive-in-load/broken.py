import tempfile
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "classifier.pt"


def build():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))


torch.jit.script(build()).save(path)  # what the export step wrote

model = build()
model.load_state_dict(torch.load(path))  # error
print(f"weights: {sum(p.numel() for p in model.parameters())}")
