import io

import torch
from torch import nn


def as_an_old_pytorch_writes_it(state):
    """The format of torch 1.5 and before, which has no archive: all versions read it."""
    saved = io.BytesIO()
    torch.save(state, saved, _use_new_zipfile_serialization=False)
    saved.seek(0)
    return saved


torch.manual_seed(0)
model = nn.Linear(8, 2)
checkpoint = as_an_old_pytorch_writes_it(model.state_dict())
model.load_state_dict(torch.load(checkpoint))
print("loaded:", *model.state_dict())
