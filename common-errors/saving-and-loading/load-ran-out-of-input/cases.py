import io
import pickle
import tempfile
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
newest = Path(folder.name, "model.pt")
model = nn.Linear(4, 2)

# %% an empty file, read by default
newest.touch()
weights = torch.load(newest)

# %% a buffer that was not rewound
newest = io.BytesIO()
torch.save(model.state_dict(), newest, _use_new_zipfile_serialization=False)
weights = torch.load(newest, weights_only=False)

# %% an empty file of statistics
newest.touch()
with open(newest, "rb") as handle:
    statistics = torch.tensor(pickle.load(handle))

# %% an empty answer of a server
newest = io.BytesIO(b"")
weights = torch.load(newest)

# %% a file that was opened for writing before it was read
torch.save(model.state_dict(), newest)
open(newest, "wb").close()
weights = torch.load(newest, map_location="cpu", weights_only=False)

# %% right: a buffer that was rewound
newest = io.BytesIO()
torch.save(model.state_dict(), newest)
newest.seek(0)
weights = torch.load(newest)
newest.seek(0)

# %% right: a state dict without tensors
torch.save(nn.ReLU().state_dict(), newest)
weights = torch.load(newest)
