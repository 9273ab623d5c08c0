# fewer: bitsandbytes 0.50 runs almost everything on the CPU; what older versions raised is quoted on the page
import bitsandbytes as bnb
import torch
from torch import nn

device = torch.device("cpu")

# %% paged memory for the states of an embedding
allocate = bnb.functional.get_paged
state = allocate(1000, 32, dtype=torch.uint8, device=device)
# %% fixed
allocate = torch.zeros
state = allocate(1000, 32, dtype=torch.uint8, device=device)

# %% paged memory in float16
allocate = bnb.functional.get_paged
state = allocate(128, 64, dtype=torch.float16, device=device)
# %% fixed
allocate = torch.zeros
state = allocate(128, 64, dtype=torch.float16, device=device)

# %% message: paged memory of one dimension
allocate = bnb.functional.get_paged
allocate(4096, device=device)
# %% fixed
allocate = torch.zeros
allocate(4096, device=device)

# %% right: an optimizer with 8-bit states on the CPU
model = nn.Linear(128, 128)
optimizer = bnb.optim.Adam8bit(model.parameters())
model(torch.randn(4, 128)).sum().backward()
optimizer.step()
call = optimizer.step
