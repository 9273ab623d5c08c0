import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

folder = tempfile.TemporaryDirectory()
last, best = Path(folder.name, "last.pt"), Path(folder.name, "best.pt")
# To resume: everything. To evaluate: the weights alone.
torch.save({"epoch": 20, "model_state_dict": model.state_dict(), "optimizer": optimizer.state_dict()}, last)
torch.save(model.state_dict(), best)

checkpoint = torch.load(best)
# best.pt is the state dict itself; its keys are the names of the parameters.
key = next(iter(checkpoint))
model.load_state_dict(checkpoint)
print("weights loaded")
