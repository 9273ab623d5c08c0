import os

import torch.distributed as dist

for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK"):
    os.environ.pop(name, None)
distributed = True

# %% a device mesh
from torch.distributed.device_mesh import init_device_mesh

mesh = init_device_mesh("cpu", (1,))

# %% only the rank is known
os.environ["RANK"] = os.environ.get("SLURM_PROCID", "0")
dist.init_process_group("gloo")

# %% rank and number of processes as arguments
dist.init_process_group("gloo", rank=0, world_size=1)

# %% the port is an empty string
os.environ |= {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": ""}
dist.init_process_group("gloo")

# %% message: the script reads LOCAL_RANK itself
device = f"cuda:{int(os.environ['LOCAL_RANK'])}"

# %% message: the script reads RANK itself
rank = int(os.environ["RANK"])

# %% right: a store, the rank and the number of processes
distributed = False
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.destroy_process_group()

# %% right: all four variables
os.environ |= {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
dist.init_process_group("gloo")
dist.destroy_process_group()
