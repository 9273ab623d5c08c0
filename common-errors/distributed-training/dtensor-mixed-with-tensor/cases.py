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
operands = [tokens, model[0].weight]
embedded = F.embedding(tokens, model[0].weight)

# %% a penalty for the distance to the pretrained weights
model = nn.Linear(16, 4)
pretrained = model.weight.detach().clone()
fully_shard(model, mesh=mesh)
operands = [model.weight, pretrained]
penalty = (model.weight - pretrained).square().sum()

# %% weights are copied into a plain model
model = fully_shard(nn.Linear(16, 4), mesh=mesh)
average = nn.Linear(16, 4)
operands = [average.weight, model.weight]
with torch.no_grad():
    average.weight.copy_(model.weight)

# %% tensor parallel: the weight of a layer is used directly
model = parallelize_module(nn.Sequential(nn.Linear(16, 32), nn.ReLU()), mesh, {"0": ColwiseParallel()})
operands = [inputs, model[0].weight]
features = inputs @ model[0].weight.T

# %% a mask for a sharded tensor
scores = distribute_tensor(torch.randn(8, 4), mesh, [Shard(0)])
mask = torch.rand(8, 4) > 0.5
operands = [scores, mask]
masked = scores.masked_fill(mask, 0.0)

# %% the gradients of sharded and other layers are clipped together
backbone, head = fully_shard(nn.Linear(16, 4), mesh=mesh), nn.Linear(4, 2)
head(backbone(inputs)).square().mean().backward()
operands = [*backbone.parameters(), *head.parameters()]
nn.utils.clip_grad_norm_(operands, max_norm=1.0)

# %% an ordinary checkpoint for a sharded model
model = nn.Linear(16, 4)
checkpoint = {name: weight.clone() for name, weight in model.state_dict().items()}
fully_shard(model, mesh=mesh)
operands = [*model.parameters(), *checkpoint.values()]
model.load_state_dict(checkpoint)
# %% fixed
model = nn.Linear(16, 4)
checkpoint = {name: weight.clone() for name, weight in model.state_dict().items()}
fully_shard(model, mesh=mesh)
set_model_state_dict(model, checkpoint, options=StateDictOptions(full_state_dict=True))
operands = [*model.parameters()]

# %% message: an image through a convolution's weight
model = fully_shard(nn.Conv2d(3, 8, 3), mesh=mesh)
F.conv2d(torch.randn(2, 3, 12, 12), model.weight)

# %% right: the module itself is called
model = fully_shard(nn.Linear(16, 4), mesh=mesh)
operands = [inputs]
model(inputs)

# %% right: both are DTensors
model = fully_shard(nn.Linear(16, 4), mesh=mesh)
operands = [model.weight, distribute_tensor(torch.zeros(4, 16), mesh, [Replicate()])]
(operands[0] - operands[1]).square().sum()
