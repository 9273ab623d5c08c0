# No file can be had that is newer than the newest PyTorch, so the record of its format is changed in each.
import io
import pathlib
import tempfile
import zipfile

import torch
from torch import nn


def with_format(archive, number):
    """A copy of the zip archive whose file `version` holds the number."""
    copy = io.BytesIO()
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            text = f"{number}\n" if name.endswith("/version") and "/extra/" not in name else old.read(name)
            new.writestr(name, text)
    return copy.getvalue()


folder = tempfile.TemporaryDirectory()
path = file = pathlib.Path(folder.name) / "weights.pt"

# %% a checkpoint of optimizer and model
model = nn.Linear(4, 2)
torch.save({"model": model.state_dict(), "epoch": 3}, path)
path.write_bytes(with_format(path, 11))
torch.load(file)

# %% weights are loaded onto another device
torch.save({"weight": torch.rand(3)}, path)
path.write_bytes(with_format(path, 12))
torch.load(file, map_location="cpu")

# %% a whole model
torch.save(nn.Linear(4, 2), path)
path.write_bytes(with_format(path, 64))
torch.load(file, weights_only=False)

# %% a TorchScript module
torch.jit.script(nn.Linear(4, 2)).save(path)
path.write_bytes(with_format(path, 20))
torch.jit.load(file)

# %% a TorchScript module with a version of its own beside it
torch.jit.save(torch.jit.script(nn.Linear(4, 2)), path, _extra_files={"version": "1.4.2"})
path.write_bytes(with_format(path, 20))
torch.jit.load(file)

# %% the file is mapped into memory
torch.save({"weight": torch.rand(3)}, path)
path.write_bytes(with_format(path, 30))
torch.load(file, mmap=True)

# %% message: a file without a valid format
torch.save({"weight": torch.rand(3)}, path)
path.write_bytes(with_format(path, 0))
torch.load(path)

# %% right: a file of the installed version
torch.save({"weight": torch.rand(3)}, path)
torch.load(file)
