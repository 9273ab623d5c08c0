import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


class LoRALinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(8, 8)
        self.lora_down, self.lora_up = nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False)

    def forward(self, inputs):
        return self.base(inputs) + self.lora_up(self.lora_down(inputs))


class FourierFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", torch.randn(2, 16))

    def forward(self, points):
        return (points @ self.frequencies).sin()


# %% a loss function
module = nn.CrossEntropyLoss()
criterion = DDP(module)

# %% a feature extractor of a perceptual loss
module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 16, 3))
for weight in module.parameters():
    weight.requires_grad = False
extractor = torch.nn.parallel.DistributedDataParallel(module, find_unused_parameters=True)

# %% the decoder is frozen with the encoder
module = nn.ModuleDict({"encoder": nn.GRU(8, 16), "decoder": nn.GRU(16, 8)})
module.requires_grad_(False)
model = DDP(module)
# %% fixed
module = nn.ModuleDict({"encoder": nn.GRU(8, 16), "decoder": nn.GRU(16, 8)})
module["encoder"].requires_grad_(False)
model = DDP(module)

# %% a teacher
module = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 10)).requires_grad_(False).eval()
teacher = DDP(module)

# %% adapters whose names the filter does not find
module = nn.Sequential(LoRALinear(), nn.GELU(), LoRALinear())
for name, weight in module.named_parameters():
    weight.requires_grad = "lora_A" in name
model = DDP(module)

# %% a module with buffers only
module = FourierFeatures()
encoding = DDP(module)

# %% the only parameter to train is one that DDP ignores
module = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 2).requires_grad_(False))
DDP._set_params_and_buffers_to_ignore_for_model(module, ["0.weight"])
model = DDP(module)

# %% right: one parameter to train is enough
module = nn.Sequential(LoRALinear(), nn.GELU(), LoRALinear())
for name, weight in module.named_parameters():
    weight.requires_grad = "lora_up" in name
model = DDP(module)
model(torch.randn(4, 8)).sum().backward()
