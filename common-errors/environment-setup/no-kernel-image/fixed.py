import torch

# The driver may use the machine code of the build, which has some for this GPU.
images = torch.randint(256, (8, 3, 32, 32), dtype=torch.uint8).to("cuda")
pixels = images.float() / 255
print(f"pixels: {tuple(pixels.shape)} on {pixels.device.type}")
