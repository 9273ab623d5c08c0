import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn

working_directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
os.chdir(working_directory.name)

# %% a folder for each run, below one that exists
Path("runs").mkdir()
path = Path("runs") / "2026-11-26" / "model.pt"
torch.save(nn.Linear(2, 2).state_dict(), path)

# %% a name with slashes in the file name
os.makedirs("models")
name, score = "facebook/opt-125m", 0.91
path = f"models/{name}-{score:.2f}.pt"
torch.save({"score": score}, path)

# %% the script changed the working directory
os.makedirs("output/checkpoints")
path = "output/checkpoints/last.pt"
os.chdir("output")
torch.save({"epoch": 3}, path)

# %% only the last folder is missing, and its name has a space
path = os.path.join("logs", "fold 1", "best.pt")
os.mkdir("logs")
torch.save({"epoch": 3}, path)

# %% message: the old format of files
torch.save({"epoch": 3}, "weights/old.pt", _use_new_zipfile_serialization=False)

# %% message: an array
np.save("features/train.npy", np.zeros((3, 4)))

# %% message: a folder that is a file
Path("saved").write_text("")
torch.save({"epoch": 3}, "saved/model.pt")

# %% message: the home directory by its abbreviation
path = "~/models/last.pt"
torch.save({"epoch": 3}, path)

# %% fixed
os.environ["HOME"] = working_directory.name
path = "~/models/last.pt"
path = os.path.expanduser(path)
os.makedirs(os.path.dirname(path), exist_ok=True)
torch.save({"epoch": 3}, path)

# %% message: a path that is a directory
Path("models").mkdir()
torch.save({"epoch": 3}, "models")

# %% message: no file name
Path("models").mkdir()
torch.save({"epoch": 3}, "models/")

# %% right: into the working directory
path = "model.pt"
torch.save(nn.Linear(2, 2).state_dict(), path)
