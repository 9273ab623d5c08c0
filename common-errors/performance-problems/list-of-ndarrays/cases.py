import numpy as np
import torch

# %% labels as a list of arrays of one number
observations = [np.array([1]), np.array([0]), np.array([1])]
labels = torch.LongTensor(observations)

# %% a tuple of arrays
observations = (np.zeros(3), np.ones(3))
batch = torch.as_tensor(observations, dtype=torch.float32)

# %% states and arrays in a list, for a policy
observations = [np.random.rand(8).astype(np.float32)]
state = torch.FloatTensor(observations)

# %% message: arrays within lists
boxes = [[np.zeros(4), np.ones(4)], [np.zeros(4), np.ones(4)]]
targets = torch.tensor(boxes)

# %% message: predictions collected over an epoch
predictions = [np.random.rand(10) for _ in range(20)]
classes = torch.tensor(predictions).argmax(1)

# %% right: one array
observations = np.stack([np.zeros(3), np.ones(3)])
batch = torch.from_numpy(observations)

# %% right: a list of numbers
observations = [0.5, 1.5, 2.5]
batch = torch.tensor(observations)
