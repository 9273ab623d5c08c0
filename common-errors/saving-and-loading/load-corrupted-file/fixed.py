import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))

folder = tempfile.TemporaryDirectory()
original, download = os.path.join(folder.name, "original.pt"), os.path.join(folder.name, "download.pt")
torch.save(model.state_dict(), original)

# Continue until the server has nothing left to send.
with open(original, "rb") as server, open(download, "wb") as file:
    while chunk := server.read(300_000):
        file.write(chunk)

print(f"{os.path.getsize(download):,} of {os.path.getsize(original):,} bytes")
weights = torch.load(download)
model.load_state_dict(weights)
print(f"{len(weights)} tensors loaded")
