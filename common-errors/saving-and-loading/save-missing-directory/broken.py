import os
import tempfile

import torch
from torch import nn

# A new machine: the working directory has no folder "checkpoints" yet.
working_directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
os.chdir(working_directory.name)

model = nn.Linear(8, 2)
path = "checkpoints/epoch-1.pt"
torch.save(model.state_dict(), path)  # error
print(f"saved: {os.listdir('checkpoints')}")
