import resource

import torch

# No limit of the address space (`ulimit -v unlimited`): CUDA reserves far more addresses than it uses memory.
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

model = torch.nn.Linear(16, 4).to("cuda")
print(f"weights on {model.weight.device.type}")
