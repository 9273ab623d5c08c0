import numpy as np
import torch
from torchvision.transforms import functional as F

# A frame as a video reader or a simulator returns it: height, width, channels.
rng = np.random.default_rng(0)
frame = rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)
image = torch.from_numpy(frame)
picture = F.to_pil_image(image)  # error
print("width and height:", picture.size, "mode:", picture.mode)
