import numpy as np
import torch

torch.manual_seed(0)
features = torch.randn(50, 8)

# %% a numpy array of floats
indices = np.linspace(0, 49, 12)
rows = features[indices]
# %% fixed
indices = [round(place) for place in np.linspace(0, 49, 12)]
rows = features[indices]

# %% probabilities where classes were meant, assigned through
indices = [0.9, 0.2, 0.7]
table = torch.zeros(3, 4)
table[indices] = torch.ones(3, 4)

# %% a product that should be 29 and is a little less
indices = [0.29 * 100, 0.07 * 100]
rows = torch.randn(100, 4)[indices]

# %% right: integer division
indices = [place * 50 // 8 for place in range(8)]
rows = features[indices]

# %% right: floats that are whole numbers, from a JSON file
indices = [3.0, 11.0, 49.0]
rows = features[indices]

# %% right: a tensor of integers
indices = torch.linspace(0, 49, 12).round().long()
rows = features[indices]
