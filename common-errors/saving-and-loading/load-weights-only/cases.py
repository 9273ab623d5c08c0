import argparse
import collections
import fractions
import pickle
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "checkpoint.pt")


class Settings:
    lr = 0.1


# %% command-line arguments
torch.save({"model": nn.Linear(3, 2).state_dict(), "args": argparse.Namespace(lr=0.1)}, path)
checkpoint = torch.load(path)
# %% fixed
torch.save({"model": nn.Linear(3, 2).state_dict(), "args": argparse.Namespace(lr=0.1)}, path)
torch.serialization.add_safe_globals([argparse.Namespace])
checkpoint = torch.load(path)

# %% the whole model
torch.save(nn.Sequential(nn.Linear(3, 2)), path)
model = torch.load(path, map_location="cpu")
# %% fixed
torch.save(nn.Sequential(nn.Linear(3, 2)), path)
model = torch.load(path, map_location="cpu", weights_only=False)
torch.save(model.state_dict(), path)

# %% a whole model of a class in the script
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))


torch.save(Classifier(), path)
model = torch.load(path)
# %% fixed
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))


torch.save(Classifier(), path)
model = torch.load(path, weights_only=False)
torch.save(model.state_dict(), path)

# %% a best accuracy of NumPy
torch.save({"epoch": 3, "best": np.mean([0.91, 0.97])}, path)
checkpoint = torch.load(path)
# %% fixed
torch.save({"epoch": 3, "best": np.mean([0.91, 0.97])}, path)
multiarray = getattr(np, "_core", np.core if np.__version__ < "2" else None).multiarray
names = ["numpy._core.multiarray.scalar", "numpy.core.multiarray.scalar"]
torch.serialization.add_safe_globals([(multiarray.scalar, name) for name in names])
torch.serialization.add_safe_globals([np.dtype, type(np.dtype("float64"))])  # numpy.dtype, numpy.dtypes.Float64DType
checkpoint = torch.load(path)

# %% class weights in an array
torch.save({"class_weights": np.ones(3, dtype=np.float32)}, path)
checkpoint = torch.load(path)
# %% fixed
torch.save({"class_weights": np.ones(3, dtype=np.float32)}, path)
multiarray = getattr(np, "_core", np.core if np.__version__ < "2" else None).multiarray
names = ["numpy._core.multiarray._reconstruct", "numpy.core.multiarray._reconstruct"]
torch.serialization.add_safe_globals([(multiarray._reconstruct, name) for name in names])
torch.serialization.add_safe_globals([np.ndarray, np.dtype, type(np.dtype("float32"))])  # numpy.ndarray, numpy.dtype
checkpoint = torch.load(path)

# %% a function of the training script
def scale(epoch):
    return 0.9**epoch


torch.save({"model": nn.Linear(3, 2).state_dict(), "schedule": scale}, path)
checkpoint = torch.load(path)
# %% fixed
model = nn.Linear(3, 2)
torch.save({"model": model.state_dict()}, path)
checkpoint = torch.load(path)

# %% a list of settings
torch.save({"history": [Settings(), Settings()]}, path)
checkpoint = torch.load(path, weights_only=True)
# %% fixed
model = nn.Linear(3, 2)
torch.save({"model": model.state_dict(), "history": [vars(Settings()), vars(Settings())]}, path)
checkpoint = torch.load(path, weights_only=True)

# %% a fraction
torch.save({"share": fractions.Fraction(1, 3)}, path)
checkpoint = torch.load(path)

# %% something that calls getattr
class Mode:
    def __reduce__(self):
        return getattr, (collections.OrderedDict, "fromkeys")


torch.save({"mode": Mode()}, path)
checkpoint = torch.load(path)
# %% fixed
class Mode:
    def __reduce__(self):
        return getattr, (collections.OrderedDict, "fromkeys")


torch.save({"mode": Mode(), "model": nn.Linear(3, 2).state_dict()}, path)
checkpoint = torch.load(path, weights_only=False)
torch.save(checkpoint["model"], path)

# %% a file that calls the operating system
class Payload:
    def __reduce__(self):
        import os

        return os.system, ("true",)


torch.save({"model": Payload()}, path)
checkpoint = torch.load(path)

# %% the class of a dtype is not allowed yet
torch.save({"best": np.float64(0.9)}, path)
multiarray = getattr(np, "_core", np.core if np.__version__ < "2" else None).multiarray
names = ["numpy._core.multiarray.scalar", "numpy.core.multiarray.scalar"]
torch.serialization.add_safe_globals([np.dtype, *[(multiarray.scalar, name) for name in names]])
checkpoint = torch.load(path)
# %% fixed
torch.save({"best": np.float64(0.9)}, path)
multiarray = getattr(np, "_core", np.core if np.__version__ < "2" else None).multiarray
names = ["numpy._core.multiarray.scalar", "numpy.core.multiarray.scalar"]
torch.serialization.add_safe_globals([np.dtype, *[(multiarray.scalar, name) for name in names]])
torch.serialization.add_safe_globals([type(np.dtype("float64"))])  # numpy.dtypes.Float64DType
checkpoint = torch.load(path)

# %% message: pickled by hand
path.write_bytes(pickle.dumps(nn.Linear(3, 2).state_dict(), protocol=4))
checkpoint = torch.load(path)
# %% fixed
path.write_bytes(pickle.dumps(nn.Linear(3, 2).state_dict(), protocol=4))
with open(path, "rb") as file:
    checkpoint = pickle.load(file)

# %% right: plain values besides the weights
settings = {"lr": 0.1, "path": "runs/1", "best": 0.94, "layers": (64, 64)}
torch.save({"model": nn.Linear(3, 2).state_dict(), "settings": settings}, path)
checkpoint = torch.load(path)

# %% right: an ordered dictionary, a counter and a dtype
torch.save({"order": collections.OrderedDict(a=1), "counts": collections.Counter("aab"), "dtype": torch.float16}, path)
checkpoint = torch.load(path)
