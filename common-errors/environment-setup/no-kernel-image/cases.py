import os

os.environ["CUDA_FORCE_PTX_JIT"] = "1"
import torch
from torch import nn

# %% a comparison
labels = torch.tensor([0, 1, 1]).to("cuda")
print((labels != 0).sum().item())

# %% an embedding
table = nn.Embedding(1000, 16).to("cuda")
print(table(torch.tensor([[5, 999]]).to("cuda")).shape)

# %% the counter of batch normalization
layer = nn.BatchNorm2d(3).to("cuda")
print(layer(torch.randn(4, 3, 8, 8).to("cuda")).shape)

# %% random numbers
noise = torch.randn(4, 64, device="cuda")

# %% positions
positions = torch.arange(512, device="cuda")

# %% right: the driver may use the machine code
del os.environ["CUDA_FORCE_PTX_JIT"]
pixels = torch.randint(256, (8, 3, 32, 32), dtype=torch.uint8).to("cuda").float() / 255
