import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
backbone = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
model = nn.Sequential(backbone, nn.Linear(16, 4))
model.requires_grad_(False)
parallel = DistributedDataParallel(model, find_unused_parameters=True)  # error
images, labels = torch.randn(8, 3, 32, 32), torch.randint(4, (8,))
nn.functional.cross_entropy(parallel(images), labels).backward()
print(f"gradient of the head: {model[1].weight.grad is not None}")
dist.destroy_process_group()
