import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(16, 32)
        self.blocks = nn.ModuleList(nn.Linear(32, 32) for _ in range(3))
        self.head = nn.Linear(32, 4)
        self.auxiliary_head = nn.Linear(32, 4)  # not used in this phase of the training

    def forward(self, inputs):
        features = self.stem(inputs)
        for block in self.blocks:
            # Not reentrant: the graph of the loss contains the blocks, so DDP sees that they are used.
            features = checkpoint(block, features.relu(), use_reentrant=False)
        return self.head(features)


torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(Classifier(), find_unused_parameters=True)
inputs, labels = torch.randn(32, 16), torch.randint(4, (32,))
loss = cross_entropy(model(inputs), labels)
loss.backward()
print(f"loss: {loss.item():.3f}")
