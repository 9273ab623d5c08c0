import bitsandbytes as bnb
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cpu")  # as on a machine without a GPU that this PyTorch can use
model = nn.Linear(64, 64).to(device)
# Paged memory is a feature of the library for GPUs. The optimizers run on the CPU since bitsandbytes 0.50.
allocate = torch.zeros
optimizer = bnb.optim.AdamW8bit(model.parameters(), lr=1e-3)
moments = [allocate(64, 64, device=device) for _ in range(2)]
print("moments:", [tuple(moment.shape) for moment in moments])
