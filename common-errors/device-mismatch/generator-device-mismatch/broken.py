import torch

generator = torch.Generator().manual_seed(0)
device = "cuda"

# The starting noise of a diffusion model
noise = torch.randn(1, 4, 64, 64, generator=generator, device=device)  # error
print(f"noise: {tuple(noise.shape)} on {noise.device.type}")
