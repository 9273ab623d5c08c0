import io
import pickle
import tarfile
import tempfile
import zipfile
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
download = Path(folder.name, "model.pt")
torch.manual_seed(0)
torch.save(nn.Sequential(nn.Linear(300, 200), nn.Linear(200, 10)).state_dict(), download)
whole = download.read_bytes()

# %% all but the last bytes
download.write_bytes(whole[:-100])
weights = torch.load(download)

# %% sent as text
download.write_bytes(whole.replace(b"\n", b"\r\n"))
weights = torch.load(download)

# %% damage at the beginning
download.write_bytes(bytes(1000) + whole[1000:])
weights = torch.load(download)

# %% message: an old format that ends too early
torch.save(nn.Linear(300, 200).state_dict(), download, _use_new_zipfile_serialization=False)
download.write_bytes(download.read_bytes()[:100_000])
weights = torch.load(download)

# %% message: an old format of which only the first bytes are left
torch.save(nn.Linear(300, 200).state_dict(), download, _use_new_zipfile_serialization=False)
download.write_bytes(download.read_bytes()[:10])
weights = torch.load(download, weights_only=False)

# %% message: a state dict in torch.jit.load
model = torch.jit.load(download)

# %% message: an archive of checkpoints
with zipfile.ZipFile(download, "w") as archive:
    archive.writestr("run-1/model.pt", whole)
weights = torch.load(download)

# %% message: a checkpoint packed in a zip
with zipfile.ZipFile(download, "w") as archive:
    archive.writestr("model.pt", whole)
weights = torch.load(download)

# %% message: a record is gone
parts = zipfile.ZipFile(io.BytesIO(whole))
with zipfile.ZipFile(download, "w") as archive:
    for name in parts.namelist():
        if not name.endswith("data/0"):
            archive.writestr(name, parts.read(name))
weights = torch.load(download)

# %% message: the description of the tensors is gone
parts = zipfile.ZipFile(io.BytesIO(whole))
with zipfile.ZipFile(download, "w") as archive:
    for name in parts.namelist():
        if not name.endswith("data.pkl"):
            archive.writestr(name, parts.read(name))
weights = torch.load(download)

# %% message: written by pickle
download.write_bytes(pickle.dumps({"weight": torch.zeros(3)}))
weights = torch.load(download, weights_only=False)

# %% message: a tar archive
with tarfile.open(download, "w") as archive:
    archive.addfile(tarfile.TarInfo("model.pt"), io.BytesIO())
weights = torch.load(download, weights_only=False)

# %% undecided: a whole file in the old format
torch.save(nn.Linear(300, 200).state_dict(), download, _use_new_zipfile_serialization=False)
weights = torch.load(download)

# %% right: a smaller file than expected
torch.save(nn.Linear(3, 2).half().state_dict(), download)
weights = torch.load(download)
