import numpy as np
import torch

# Eight grayscale images of 16 x 16, as read from a binary file.
content = bytes(range(256)) * 8
images = np.frombuffer(content, dtype=np.uint8).reshape(8, 16, 16)
batch = torch.from_numpy(images)  # error
print(f"{tuple(batch.shape)}, mean {batch.float().mean():.1f}")
