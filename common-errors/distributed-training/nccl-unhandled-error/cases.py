# fewer: most causes need several GPUs or machines, or a container without shared memory
import os

import torch
import torch.distributed as dist


def join():
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    dist.broadcast(torch.zeros(8, device="cuda"), src=0)


# %% an interface of another machine
os.environ["NCCL_SOCKET_IFNAME"] = "ib7"
join()

# %% all interfaces excluded
os.environ["NCCL_SOCKET_IFNAME"] = "=none0"
join()

# %% right: NCCL chooses
os.environ.pop("NCCL_SOCKET_IFNAME", None)
join()
