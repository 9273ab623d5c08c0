import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(16, 32)
        self.head = nn.Linear(32, 4)
        self.auxiliary_head = nn.Linear(32, 4)

    def forward(self, inputs):
        features = torch.relu(self.encoder(inputs))
        return self.head(features)


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
    model = DistributedDataParallel(Classifier())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        inputs, labels = torch.randn(32, 16), torch.randint(4, (32,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)  # error
        loss.backward()
        optimizer.step()
        print(f"step={step} loss={loss.item():.3f}")
    dist.destroy_process_group()
