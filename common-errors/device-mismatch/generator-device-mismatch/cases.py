# fewer: a generator of another device than the CPU needs a GPU
import torch

# %% right: a generator of the CPU for a tensor of the CPU
place, source = "cpu", torch.Generator().manual_seed(0)
noise = torch.randn(2, 3, generator=source, device=place)

# %% right: no generator
place, source = "meta", None
noise = torch.randn(2, 3, generator=source, device=place)
