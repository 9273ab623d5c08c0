import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

with tempfile.TemporaryDirectory() as folder:
    last, best = Path(folder, "last.pt"), Path(folder, "best.pt")
    # To resume: everything. To evaluate: the weights alone.
    torch.save({"epoch": 20, "model_state_dict": model.state_dict(), "optimizer": optimizer.state_dict()}, last)
    torch.save(model.state_dict(), best)

    checkpoint = torch.load(best)
    model.load_state_dict(checkpoint["model_state_dict"])  # error
    print("weights loaded")
