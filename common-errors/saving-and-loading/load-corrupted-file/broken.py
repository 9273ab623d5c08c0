import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))

folder = tempfile.TemporaryDirectory()
original, download = os.path.join(folder.name, "original.pt"), os.path.join(folder.name, "download.pt")
torch.save(model.state_dict(), original)

# The connection breaks after 300,000 bytes.
with open(original, "rb") as server, open(download, "wb") as file:
    file.write(server.read(300_000))

print(f"{os.path.getsize(download):,} of {os.path.getsize(original):,} bytes")
weights = torch.load(download)  # error
model.load_state_dict(weights)
print(f"{len(weights)} tensors loaded")
