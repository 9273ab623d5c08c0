import resource

import torch

# A batch system limits the address space of a job (`ulimit -v`): here to 2 GiB more than the process has now.
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2 * 2**30, resource.RLIM_INFINITY))

model = torch.nn.Linear(16, 4).to("cuda")  # error
print(f"weights on {model.weight.device.type}")
