import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(16, 32)
        self.head = nn.Linear(32, 4)

    def embed(self, inputs):
        return torch.relu(self.encoder(inputs))

    def forward(self, inputs):
        return self.head(self.embed(inputs))


torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = fully_shard(TextClassifier(), mesh=init_device_mesh("cpu", (1,)))
# Gathers the parameters around embed, too. By itself FSDP does so only around forward.
register_fsdp_forward_method(model, "embed")
inputs = torch.randn(8, 16)
embeddings = model.embed(inputs)
print(f"embeddings: {tuple(embeddings.shape)}")
dist.destroy_process_group()
