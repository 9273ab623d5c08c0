import numpy as np
import torch
from torch import nn

# %% a reward of NumPy in reinforcement learning
value = np.float64(0.5) * np.ones(4)
rewards = torch.as_tensor(value, device="mps")
# %% fixed
value = torch.as_tensor(np.float64(0.5) * np.ones(4)).float()
rewards = value.to("mps")

# %% frequencies in float64
value = torch.arange(0, 8, dtype=torch.float64)
frequencies = 1 / value.to("mps").add(1)

# %% a model in double precision
model = nn.Linear(4, 2).double()
value = model.weight
model.to("mps")

# %% a float32 tensor that is to become float64
value = torch.float64
losses = torch.rand(4, device="mps").to(value)

# %% a default dtype
torch.set_default_dtype(torch.float64)
value = torch.get_default_dtype()
scores = torch.rand(4, device="mps")

# %% right: an array of float32
value = torch.from_numpy(np.ones(4, dtype=np.float32))
value.to("mps")
