import io

import numpy as np
import torch
from PIL import Image
from torchvision.io import encode_png
from torchvision.transforms import functional as F
from torchvision.transforms import v2
from torchvision.utils import draw_bounding_boxes, draw_segmentation_masks, save_image

photo = torch.randint(0, 256, (3, 48, 64), dtype=torch.uint8)  # channels first
frame = np.ascontiguousarray(photo.permute(1, 2, 0).numpy())  # channels last

# %% an array whose channels are first
image = photo.numpy()
F.to_pil_image(image)
# %% fixed
array = photo.numpy()
image = np.transpose(array, (1, 2, 0))
F.to_pil_image(image)

# %% a PNG of a frame
image = torch.from_numpy(frame)
encode_png(image)
# %% fixed
image = torch.from_numpy(frame)
image = image.permute(2, 0, 1)
encode_png(image)

# %% colors changed by a transform
image = torch.from_numpy(frame)
v2.ColorJitter(brightness=0.2, contrast=0.2)(image)
# %% fixed
image = torch.from_numpy(frame)
image = image.permute(2, 0, 1)
v2.ColorJitter(brightness=0.2, contrast=0.2)(image)

# %% a grid for the log
image = torch.from_numpy(frame) / 255
save_image(image, io.BytesIO(), format="png")

# %% a tensor for Pillow
image = photo.numpy()
Image.fromarray(image)
# %% fixed
array = photo.numpy()
image = np.transpose(array, (1, 2, 0))
Image.fromarray(image)

# %% gray values of a frame
image = torch.from_numpy(frame)
F.rgb_to_grayscale(image)
# %% fixed
image = torch.from_numpy(frame)
image = image.permute(2, 0, 1)
F.rgb_to_grayscale(image)

# %% boxes drawn on a frame
image = torch.from_numpy(frame)
draw_bounding_boxes(image, torch.tensor([[4.0, 4.0, 40.0, 30.0]]))
# %% fixed
image = torch.from_numpy(frame)
image = image.permute(2, 0, 1)
draw_bounding_boxes(image, torch.tensor([[4.0, 4.0, 40.0, 30.0]]))

# %% message: a batch of frames for Pillow
Image.fromarray(np.stack([frame, frame]))
# %% fixed
arrays = np.stack([frame, frame])
Image.fromarray(arrays[0])

# %% message: a gray image without its channel as a PNG
encode_png(photo[0])
# %% fixed
image = photo[0]
encode_png(image.unsqueeze(0))

# %% message: a mask drawn on a frame
draw_segmentation_masks(torch.from_numpy(frame), torch.ones(48, 64, dtype=torch.bool))
# %% fixed
image = torch.from_numpy(frame)
image = image.permute(2, 0, 1)
draw_segmentation_masks(image, torch.ones(48, 64, dtype=torch.bool))

# %% message: values from 0 to 1 for Pillow
Image.fromarray(frame.astype(np.float32) / 255)

# %% message: a gray image with a dimension of its own for Pillow
Image.fromarray(frame[..., :1])

# %% message: an image with transparency as a JPEG or PNG
encode_png(torch.zeros(4, 48, 64, dtype=torch.uint8))

# %% right: a tensor with its channels first
image = photo
F.to_pil_image(v2.ColorJitter(brightness=0.2)(image))

# %% right: an array with its channels last
image = frame
F.to_tensor(Image.fromarray(image))
