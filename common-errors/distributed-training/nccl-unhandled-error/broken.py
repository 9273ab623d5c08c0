import os
import tempfile

import torch
import torch.distributed as dist

os.environ["NCCL_SOCKET_IFNAME"] = "eth9"  # copied from another cluster; no interface has this name
with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("nccl", init_method=f"file://{folder}/store", rank=0, world_size=1)
    gradient = torch.ones(1024, device="cuda")
    dist.all_reduce(gradient)  # error
    print(f"sum={gradient.sum().item():.0f}")
    dist.destroy_process_group()
