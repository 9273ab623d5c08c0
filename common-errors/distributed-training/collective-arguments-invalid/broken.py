import torch
import torch.distributed as dist
from torch import nn

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
rank, size = dist.get_rank(), dist.get_world_size()
model = nn.Linear(16, 4).eval()
samples, labels = torch.randn(32, 16), torch.randint(4, (32,))  # the share of this rank

correct = (model(samples).argmax(dim=1) == labels).float()
gathered = None
dist.gather(correct, gathered, dst=0)  # error
if rank == 0:
    print("samples:", torch.cat(gathered).numel())
dist.destroy_process_group()
