import numpy as np
import torch

# A batch from the replay memory: 32 observations, each an array.
rng = np.random.default_rng(0)
observations = [rng.random((4, 84, 84), dtype=np.float32) for _ in range(32)]

# One array first: NumPy joins the parts in memory, and torch copies the result at once.
observations = np.stack(observations)
batch = torch.tensor(observations)
print(f"batch: {tuple(batch.shape)} {batch.dtype}")
