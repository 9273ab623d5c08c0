# The meta device takes the place of a GPU, which this needs; NumPy refuses its tensors in the same way.
import numpy as np
import torch
from torch import nn

# %% the output of a layer
with torch.device("meta"):
    values = nn.Linear(4, 2)(torch.rand(3, 4)).detach()
values.numpy()

# %% a list of predictions
values = [torch.zeros(4, device="meta"), torch.zeros(4, device="meta")]
np.concatenate(values)

# %% a mean by NumPy
values = [torch.zeros(4, device="meta"), torch.ones(4, device="meta")]
np.mean(values)

# %% an array of losses
values = {"loss": torch.zeros((), device="meta"), "accuracy": torch.tensor(0.5)}
history = np.asarray(values["loss"])

# %% a sparse adjacency matrix
values = torch.eye(3).to_sparse()
values.numpy()
# %% fixed
values = torch.eye(3).to_sparse().to_dense()
values.numpy()

# %% right: tensors and arrays in the memory of the CPU
values = [torch.rand(4), np.ones(4)]
np.concatenate(values)
