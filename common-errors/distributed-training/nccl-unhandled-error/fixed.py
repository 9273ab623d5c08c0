import os
import tempfile

import torch
import torch.distributed as dist

# NCCL chooses an interface itself if none is named.
os.environ.pop("NCCL_SOCKET_IFNAME", None)
with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("nccl", init_method=f"file://{folder}/store", rank=0, world_size=1)
    gradient = torch.ones(1024, device="cuda")
    dist.all_reduce(gradient)
    print(f"sum={gradient.sum().item():.0f}")
    dist.destroy_process_group()
