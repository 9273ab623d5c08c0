import tempfile
from argparse import Namespace
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(128, 10)
args = Namespace(lr=0.01, epochs=20)

folder = tempfile.TemporaryDirectory()
for epoch in (1, 2):
    torch.save({"epoch": epoch, "args": args, "model": model.state_dict()}, Path(folder.name, f"epoch-{epoch:03}.pt"))
# The run was killed when the third save had just begun: the file exists, but is empty.
Path(folder.name, "epoch-003.pt").touch()

# Skip what an interrupted save left behind.
newest = max(path for path in Path(folder.name).glob("epoch-*.pt") if path.stat().st_size > 0)
print(f"resuming from {newest.name}, {newest.stat().st_size:,} bytes")
checkpoint = torch.load(newest, weights_only=False)
model.load_state_dict(checkpoint["model"])
print(f"trained for {checkpoint['epoch']} epochs")
