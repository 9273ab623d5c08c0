import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
folder = tempfile.TemporaryDirectory()
path = str(Path(folder.name) / "best.pt")
torch.save(model.state_dict(), path)
restored = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
# load_state_dict does not read files: torch.load does.
weights = torch.load(path, weights_only=True)
print(restored.load_state_dict(weights))
