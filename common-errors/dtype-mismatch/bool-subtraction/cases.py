import numpy as np
import torch

# %% a threshold subtracted from predictions of 0 and 1
mask = torch.rand(10) > 0.5
operands = [mask, 0.5]
distance = mask - 0.5
# %% fixed
mask = torch.rand(10) > 0.5
operands = [1, mask.float()]
rest = 1 - mask.float()

# %% labels from a comparison
mask = torch.randint(5, (16,)) == 3
operands = [torch.rand(16), mask]
error = operands[0] - mask
# %% fixed
mask = torch.randint(5, (16,)) == 3
operands = [torch.rand(16), 1 - mask.float()]
error = operands[0] - operands[1]

# %% a flag of Python
operands = [torch.rand(16), True]
rest = operands[0] - True
# %% fixed
mask = torch.tensor(True)
operands = [1, mask.float()]
rest = 1 - mask.float()

# %% message: the padding of a batch of sentences
mask = torch.tensor([[5, 8, 2, 0], [7, 0, 0, 0]]) != 0
padding = 1 - mask
# %% fixed
mask = torch.tensor([[5, 8, 2, 0], [7, 0, 0, 0]]) != 0
padding = ~mask

# %% message: what changed between two masks
a, b = torch.rand(4, 4) > 0.5, torch.rand(4, 4) > 0.5
changed = a - b
# %% fixed
a, b = torch.rand(4, 4) > 0.5, torch.rand(4, 4) > 0.5
changed = a ^ b

# %% message: a minus in front
mask = torch.rand(4, 4) > 0.5
bias = -mask * 1e4
# %% fixed
mask = torch.rand(4, 4) > 0.5
bias = -mask.float() * 1e4

# %% message: two masks of NumPy
changed = np.array([True, False]) - np.array([True, True])
# %% fixed
a, b = np.array([True, False]), np.array([True, True])
changed = a ^ b

# %% right: a mask of old code, with 0 and 1 as uint8
mask = torch.tensor([0, 1, 1], dtype=torch.uint8)
operands = [1, mask]
padding = 1 - mask
