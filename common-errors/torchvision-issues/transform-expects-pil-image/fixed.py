import tempfile
from pathlib import Path

import torch
from torchvision.io import decode_image, write_png
from torchvision.transforms.v2 import Compose, Normalize, Resize, ToDtype, ToImage

torch.manual_seed(0)
transform = Compose(
    [
        ToImage(),  # accepts tensors, PIL images and NumPy arrays
        Resize((64, 64)),
        ToDtype(torch.float32, scale=True),  # from 0..255 to 0..1, as ToTensor does
        Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ]
)

with tempfile.TemporaryDirectory() as folder:
    path = str(Path(folder) / "cat.png")
    write_png(torch.randint(256, (3, 80, 100), dtype=torch.uint8), path)
    photo = decode_image(path)

image = transform(photo)
print(f"image: {tuple(image.shape)} {image.dtype} from {image.min():.2f} to {image.max():.2f}")
