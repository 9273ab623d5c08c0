import os

os.environ["CUDA_FORCE_PTX_JIT"] = "1"  # the driver skips the build's machine code, as on a GPU it was not compiled for
import torch

images = torch.randint(256, (8, 3, 32, 32), dtype=torch.uint8).to("cuda")
pixels = images.float() / 255  # error
print(f"pixels: {tuple(pixels.shape)} on {pixels.device.type}")
