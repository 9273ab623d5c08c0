# fewer: needs a build without libuv, such as those for Windows; written on Linux and not run there
import os

import torch.distributed as dist

os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29501", "RANK": "0", "WORLD_SIZE": "1"}

# %% asked for in the environment
os.environ["USE_LIBUV"] = "1"
dist.init_process_group("gloo")

# %% asked for in the address
dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29502?use_libuv=1", rank=0, world_size=1)

# %% right: without libuv
os.environ["USE_LIBUV"] = "0"
dist.init_process_group("gloo")
dist.destroy_process_group()
