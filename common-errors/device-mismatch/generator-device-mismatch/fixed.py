import torch

generator = torch.Generator("cuda").manual_seed(0)  # on the device of the tensor that it fills
device = "cuda"

# The starting noise of a diffusion model
noise = torch.randn(1, 4, 64, 64, generator=generator, device=device)
print(f"noise: {tuple(noise.shape)} on {noise.device.type}")
