import numpy as np
import torch

# Six transitions of reinforcement learning, and whether the episode ended with them.
rewards = torch.ones(6)
next_values = torch.full((6,), 10.0)
# As numbers, 0.0 and 1.0, the flags can be subtracted.
done = torch.from_numpy(np.array([False, False, True, False, False, True])).float()

targets = rewards + 0.99 * next_values * (1 - done)
print(f"targets: {[round(t, 1) for t in targets.tolist()]}")
