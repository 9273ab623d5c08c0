import tempfile
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
folder = tempfile.TemporaryDirectory()
last, best = Path(folder.name) / "last.pt", Path(folder.name) / "best.pt"
model = nn.Linear(8, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu")

scaler.scale(nn.functional.mse_loss(model(torch.randn(32, 8)), torch.randn(32, 1))).backward()
scaler.step(optimizer)
scaler.update()
state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}
torch.save(state, last)
torch.save({**state, "optimizer": None, "scaler": {}}, best)  # for inference: a third of the size

checkpoint = torch.load(best)
model.load_state_dict(checkpoint["model"])
scaler.load_state_dict(checkpoint["scaler"])  # error
optimizer.load_state_dict(checkpoint["optimizer"])
print(f"AdamW continues with the moments of {len(optimizer.state)} tensors")
