import io
import zipfile

import torch
from torch import nn


def as_a_newer_pytorch_writes_it(state):
    """A checkpoint whose record of the format, one file in the zip archive, says 99."""
    saved, newer = io.BytesIO(), io.BytesIO()
    torch.save(state, saved)
    with zipfile.ZipFile(saved) as archive, zipfile.ZipFile(newer, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name, b"99\n" if name.endswith("/version") else archive.read(name))
    newer.seek(0)
    return newer


torch.manual_seed(0)
model = nn.Linear(8, 2)
checkpoint = as_a_newer_pytorch_writes_it(model.state_dict())
model.load_state_dict(torch.load(checkpoint))  # error
print("loaded:", *model.state_dict())
