import bitsandbytes as bnb
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cpu")  # as on a machine without a GPU that this PyTorch can use
model = nn.Linear(64, 64).to(device)
allocate = bnb.functional.get_paged  # memory that moves between the GPU and the CPU
moments = [allocate(64, 64, device=device) for _ in range(2)]  # error
print("moments:", [tuple(moment.shape) for moment in moments])
