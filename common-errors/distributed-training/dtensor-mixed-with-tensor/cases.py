import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
from torch.nn import functional as F

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
mesh = init_device_mesh("cpu", (1,))
inputs = torch.randn(8, 16)


# %% an embedding that is looked up by hand
model = fully_shard(nn.Sequential(nn.Embedding(50, 16), nn.Linear(16, 4)), mesh=mesh)
tokens = torch.randint(50, (8, 12))
line = lambda: F.embedding(tokens, model[0].weight)
embedded = line()

# %% a penalty for the distance to the pretrained weights
model = nn.Linear(16, 4)
pretrained = model.weight.detach().clone()
fully_shard(model, mesh=mesh)
line = lambda: (model.weight - pretrained).square().sum()
penalty = line()

# %% weights are copied into a plain model
model = fully_shard(nn.Linear(16, 4), mesh=mesh)
average = nn.Linear(16, 4)
line = lambda: average.weight.data.copy_(model.weight)
with torch.no_grad():
    average.weight.copy_(model.weight)

# %% tensor parallel: the weight of a layer is used directly
model = parallelize_module(nn.Sequential(nn.Linear(16, 32), nn.ReLU()), mesh, {"0": ColwiseParallel()})
line = lambda: inputs @ model[0].weight.T
features = line()

# %% a mask for a sharded tensor
scores = distribute_tensor(torch.randn(8, 4), mesh, [Shard(0)])
mask = torch.rand(8, 4) > 0.5
line = lambda: scores.masked_fill(mask, 0.0)
masked = line()

# %% the gradients of sharded and other layers are clipped together
backbone, head = fully_shard(nn.Linear(16, 4), mesh=mesh), nn.Linear(4, 2)
head(backbone(inputs)).square().mean().backward()
parameters = [*backbone.parameters(), *head.parameters()]
line = lambda: nn.utils.clip_grad_norm_(parameters, max_norm=1.0)
line()

# %% an ordinary checkpoint for a sharded model
model = nn.Linear(16, 4)
checkpoint = {name: weight.clone() for name, weight in model.state_dict().items()}
fully_shard(model, mesh=mesh)
line = lambda: model.load_state_dict(checkpoint)
line()
# %% fixed
model = nn.Linear(16, 4)
checkpoint = {name: weight.clone() for name, weight in model.state_dict().items()}
fully_shard(model, mesh=mesh)
line = lambda: set_model_state_dict(model, checkpoint, options=StateDictOptions(full_state_dict=True))
line()

# %% message: an image through a convolution's weight
model = fully_shard(nn.Conv2d(3, 8, 3), mesh=mesh)
F.conv2d(torch.randn(2, 3, 12, 12), model.weight)

# %% right: the module itself is called
model = fully_shard(nn.Linear(16, 4), mesh=mesh)
line = lambda: model(inputs)
line()

# %% right: both are DTensors
model = fully_shard(nn.Linear(16, 4), mesh=mesh)
zeros = distribute_tensor(torch.zeros(4, 16), mesh, [Replicate()])
line = lambda: (model.weight - zeros).square().sum()
line()
