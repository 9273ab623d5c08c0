import argparse
import io
import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x, y = torch.randn(16, 4), torch.randint(3, (16,))

# %% predictions of a batch, in a file
data = {"predictions": model(x).argmax(1)}
json.dump(data, io.StringIO(), indent=2)
# %% fixed
value = model(x).argmax(1)
data = {"predictions": value.tolist()}
json.dump(data, io.StringIO(), indent=2)

# %% the weights of a model
data = model.state_dict()
json.dumps(data)
# %% fixed
data = {name: value.tolist() for name, value in model.state_dict().items()}
json.dumps(data)

# %% a parameter
data = {"temperature": nn.Parameter(torch.tensor(0.07))}
json.dumps(data)
# %% fixed
value = nn.Parameter(torch.tensor(0.07))
data = {"temperature": value.item()}
json.dumps(data)

# %% a mean of NumPy in float32
data = {"loss": np.mean(np.array([0.5, 0.25], dtype=np.float32))}
json.dumps(data)
# %% fixed
value = np.mean(np.array([0.5, 0.25], dtype=np.float32))
data = {"loss": value.item()}
json.dumps(data)

# %% a confusion matrix
data = {"confusion": np.zeros((3, 3), dtype=np.int64), "best": 0.5}
json.dumps(data)
# %% fixed
value = np.zeros((3, 3), dtype=np.int64)
data = {"confusion": value.tolist(), "best": 0.5}
json.dumps(data)

# %% a comparison of NumPy
data = {"improved": np.float32(0.5) < np.float32(0.7)}
json.dumps(data)
# %% fixed
value = np.float32(0.5) < np.float32(0.7)
data = {"improved": value.item()}
json.dumps(data)

# %% a configuration with a device
data = {"lr": 0.1, "device": torch.device("cpu")}
json.dumps(data)
# %% fixed
value = torch.device("cpu")
data = {"lr": 0.1, "device": str(value)}
json.dumps(data)

# %% a configuration with a dtype
data = {"lr": 0.1, "dtype": torch.bfloat16}
json.dumps(data)
# %% fixed
value = torch.bfloat16
data = {"lr": 0.1, "dtype": str(value)}
json.dumps(data)

# %% a loss that was not called
data = {"loss": x.mean().item}
json.dumps(data)
# %% fixed
loss = x.mean()
data = {"loss": loss.item()}
json.dumps(data)

# %% the arguments of the command line
args = argparse.Namespace(lr=0.1, epochs=3)
data = {"args": args}
json.dumps(data)
# %% fixed
args = argparse.Namespace(lr=0.1, epochs=3)
data = {"args": vars(args)}
json.dumps(data)

# %% the path of a checkpoint
data = {"checkpoint": Path("best.pt")}
json.dumps(data)
# %% fixed
path = Path("best.pt")
data = {"checkpoint": str(path)}
json.dumps(data)

# %% an activation in a configuration
data = {"activation": nn.ReLU}
json.dumps(data)
# %% fixed
activation = nn.ReLU
data = {"activation": activation.__name__}
json.dumps(data)

# %% counts by label
data = {label: int((y == label).sum()) for label in y.unique()}
json.dumps(data)
# %% fixed
data = {int(label): int((y == label).sum()) for label in y.unique()}
json.dumps(data)

# %% message: counts by label, from NumPy
labels, counts = np.unique(y.numpy(), return_counts=True)
json.dumps(dict(zip(labels, counts.tolist())))
# %% fixed
labels, counts = np.unique(y.numpy(), return_counts=True)
json.dumps({int(label): count for label, count in zip(labels, counts.tolist())})

# %% right: the shape of a tensor
data = {"shape": x.shape, "loss": x.mean().item()}
json.dumps(data)

# %% right: a mean of NumPy in float64
data = {"loss": np.mean([0.5, 0.25])}
json.dumps(data)
