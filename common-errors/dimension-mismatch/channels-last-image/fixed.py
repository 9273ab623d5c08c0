import numpy as np
import torch
from torchvision.transforms import functional as F

# A frame as a video reader or a simulator returns it: height, width, channels.
rng = np.random.default_rng(0)
frame = rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)
# In a tensor, torchvision expects the channels first.
image = torch.from_numpy(frame).permute(2, 0, 1)
picture = F.to_pil_image(image)
print("width and height:", picture.size, "mode:", picture.mode)
