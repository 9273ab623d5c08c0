import numpy as np
import torch

# A batch from the replay memory: 32 observations, each an array.
rng = np.random.default_rng(0)
observations = [rng.random((4, 84, 84), dtype=np.float32) for _ in range(32)]

batch = torch.tensor(observations)  # error
print(f"batch: {tuple(batch.shape)} {batch.dtype}")
