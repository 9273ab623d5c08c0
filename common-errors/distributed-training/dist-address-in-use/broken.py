import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

# Another training job on this machine, whose rank 0 listens on this port.
other_job = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)

torch.manual_seed(0)
port = other_job.port  # both jobs were started with the same MASTER_PORT
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)  # error
model = DistributedDataParallel(nn.Linear(16, 4))
print(f"outputs: {tuple(model(torch.randn(32, 16)).shape)}")
dist.destroy_process_group()
