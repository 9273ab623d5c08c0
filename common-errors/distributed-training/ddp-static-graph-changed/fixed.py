import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(16, 32)
        self.heads = nn.ModuleDict({"class": nn.Linear(32, 4), "depth": nn.Linear(32, 1)})

    def forward(self, inputs, task):
        return self.heads[task](torch.relu(self.backbone(inputs)))


torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
# Each step uses one head of two: DDP has to look which, in every step.
model = DistributedDataParallel(Detector(), find_unused_parameters=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(32, 16)
for step, task in enumerate(["class", "depth", "class"]):  # the batches come from two datasets in turn
    optimizer.zero_grad()
    loss = model(inputs, task).square().mean()
    loss.backward()
    optimizer.step()
    print(f"step={step} task={task}")
