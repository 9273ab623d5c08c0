import tempfile
from pathlib import Path

import torch
from torchvision.io import decode_image, write_png
from torchvision.transforms import Compose, Normalize, Resize

torch.manual_seed(0)
transform = Compose(
    [
        Resize((64, 64)),
        Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ]
)

with tempfile.TemporaryDirectory() as folder:
    path = str(Path(folder) / "cat.png")
    write_png(torch.randint(256, (3, 80, 100), dtype=torch.uint8), path)
    photo = decode_image(path)

image = transform(photo)  # error
print(f"image: {tuple(image.shape)} {image.dtype} from {image.min():.2f} to {image.max():.2f}")
