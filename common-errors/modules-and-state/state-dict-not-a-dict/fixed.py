import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
with tempfile.TemporaryDirectory() as folder:
    path = str(Path(folder) / "best.pt")
    torch.save(model.state_dict(), path)
    restored = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
    # load_state_dict does not read files: torch.load does.
    print(restored.load_state_dict(torch.load(path, weights_only=True)))
