import numpy as np
import torch
from torch import nn

torch.manual_seed(0)

# %% a sampling grid computed with NumPy
feature_map = torch.rand(1, 3, 8, 8)
grid = torch.from_numpy(np.random.default_rng(0).uniform(-1, 1, (1, 4, 4, 2)))
tensors = {"feature map": feature_map, "grid": grid}
nn.functional.grid_sample(feature_map, grid, align_corners=False)
# %% fixed
feature_map = torch.rand(1, 3, 8, 8)
grid = torch.from_numpy(np.random.default_rng(0).uniform(-1, 1, (1, 4, 4, 2))).float()
tensors = {"feature map": feature_map, "grid": grid}
nn.functional.grid_sample(feature_map, grid, align_corners=False)

# %% attention weights in bfloat16, values in float32
attention, value = torch.rand(2, 30, 30).bfloat16(), torch.rand(2, 30, 16)
tensors = {"attention": attention, "value": value}
attention @ value
# %% fixed
attention, value = torch.rand(2, 30, 30).bfloat16(), torch.rand(2, 30, 16)
tensors = {"attention": attention, "value": value.bfloat16()}
with torch.autocast("cpu", dtype=torch.bfloat16):
    attention @ value

# %% an adjacency matrix of integers
adjacency, features = torch.randint(2, (2, 30, 30)), torch.rand(2, 30, 16)
tensors = {"adjacency": adjacency, "features": features}
adjacency @ features
# %% fixed
tensor, other = torch.randint(2, (2, 30, 30)), torch.rand(2, 30, 16)
adjacency = tensor.to(other.dtype)
tensors = {"adjacency": adjacency, "features": other}
adjacency @ other

# %% autocast results through a mask
model, filled, mask = nn.Linear(16, 3), torch.zeros(10, 3), torch.arange(10) > 5
with torch.autocast("cpu", dtype=torch.bfloat16):
    values = model(torch.rand(4, 16))
tensors = {"filled": filled, "values": values}
filled[mask] = values
# %% fixed
model, target, mask = nn.Linear(16, 3), torch.zeros(10, 3), torch.arange(10) > 5
with torch.autocast("cpu", dtype=torch.bfloat16):
    source = model(torch.rand(4, 16))
tensors = {"filled": target, "values": source.to(target.dtype)}
target[mask] = source.to(target.dtype)

# %% message: distances from cluster centers in float64
torch.cdist(torch.rand(5, 2), torch.rand(3, 2).double())
# %% fixed
torch.cdist(torch.rand(5, 2), torch.rand(3, 2).double().float())

# %% message: class counts as weights
counts = torch.tensor([60, 30, 10])
nn.functional.cross_entropy(torch.rand(4, 3), torch.tensor([0, 1, 2, 0]), weight=counts)
# %% fixed
tensor, other = torch.tensor([60, 30, 10]), torch.rand(4, 3)
nn.functional.cross_entropy(other, torch.tensor([0, 1, 2, 0]), weight=tensor.to(other.dtype))

# %% message: a boolean mask in a batched product
(torch.rand(2, 30, 30) > 0.5) @ torch.rand(2, 30, 16)
# %% fixed
mask, other = torch.rand(2, 30, 30) > 0.5, torch.rand(2, 30, 16)
mask.to(other.dtype) @ other

# %% message: means per group, added into integers
totals = torch.tensor([0, 0, 0])
totals.index_add_(0, torch.tensor([0, 2]), torch.tensor([0.5, 1.5]))
# %% fixed
source = torch.tensor([0.5, 1.5])
totals = torch.zeros(3, dtype=source.dtype)
totals.index_add_(0, torch.tensor([0, 2]), source)

# %% message: forces computed in float64
torch.zeros(4, 3).index_add_(0, torch.tensor([0, 1]), torch.ones(2, 3).double())
# %% fixed
source = torch.ones(2, 3).double()
torch.zeros(4, 3, dtype=source.dtype).index_add_(0, torch.tensor([0, 1]), source)

# %% message: a complex sum per node
torch.zeros(4, 3).index_add_(0, torch.tensor([0, 1]), torch.ones(2, 3).cfloat())
# %% fixed
source = torch.ones(2, 3).cfloat()
torch.zeros(4, 3, dtype=source.dtype).index_add_(0, torch.tensor([0, 1]), source)

# %% message: complex rows copied into real ones
torch.zeros(4, 3).index_copy_(0, torch.tensor([0, 1]), torch.ones(2, 3).cfloat())
# %% fixed
source = torch.ones(2, 3).cfloat()
torch.zeros(4, 3, dtype=source.dtype).index_copy_(0, torch.tensor([0, 1]), source)

# %% message: complex values through indices
filled = torch.zeros(4)
filled[torch.tensor([0, 1])] = torch.ones(2).cfloat()
# %% fixed
source = torch.ones(2).cfloat()
filled = torch.zeros(4, dtype=source.dtype)
filled[torch.tensor([0, 1])] = source

# %% message: float64 values through indices
filled = torch.zeros(4)
filled[torch.tensor([0, 1])] = torch.ones(2).double()
# %% fixed
target, source = torch.zeros(4), torch.ones(2).double()
target[torch.tensor([0, 1])] = source.to(target.dtype)

# %% message: a spectrum and a real kernel
torch.einsum("bim,iom->bom", torch.fft.rfft(torch.randn(2, 4, 14)), torch.randn(4, 4, 8))
# %% fixed
real, other = torch.randn(4, 4, 8), torch.fft.rfft(torch.randn(2, 4, 14))
torch.einsum("bim,iom->bom", other, real.to(other.dtype))

# %% message: complex numbers of two precisions
torch.randn(2, 3, 3).cdouble() @ torch.randn(2, 3, 3).cfloat()
# %% fixed
x = torch.randn(2, 3, 3).cdouble()
x.to(torch.complex64) @ torch.randn(2, 3, 3).cfloat()

# %% message: a product with float8
torch.rand(2, 3, 3) @ torch.rand(2, 3, 3).to(torch.float8_e4m3fn)
# %% fixed
tensor, other = torch.rand(2, 3, 3).to(torch.float8_e4m3fn), torch.rand(2, 3, 3)
other @ tensor.to(other.dtype)

# %% message: a sum per node in float16
torch.zeros(4, 3).index_add_(0, torch.tensor([0, 1]), torch.ones(2, 3).half())
# %% fixed
target, source = torch.zeros(4, 3), torch.ones(2, 3).half()
target.index_add_(0, torch.tensor([0, 1]), source.to(target.dtype))

# %% message: rows copied into a table of integers
torch.zeros(4, dtype=torch.long).index_copy_(0, torch.tensor([0, 1]), torch.tensor([0.5, 1.5]))
# %% fixed
source = torch.tensor([0.5, 1.5])
torch.zeros(4, dtype=source.dtype).index_copy_(0, torch.tensor([0, 1]), source)

# %% message: rows copied from bfloat16
torch.zeros(4, 3).index_copy_(0, torch.tensor([0, 1]), torch.ones(2, 3).bfloat16())
# %% fixed
target, source = torch.zeros(4, 3), torch.ones(2, 3).bfloat16()
target.index_copy_(0, torch.tensor([0, 1]), source.to(target.dtype))

# %% message: rows copied from float64
torch.zeros(4, 3).index_copy_(0, torch.tensor([0, 1]), torch.ones(2, 3).double())
# %% fixed
target, source = torch.zeros(4, 3), torch.ones(2, 3).double()
target.index_copy_(0, torch.tensor([0, 1]), source.to(target.dtype))

# %% message: a padded batch of integers, filled with fractions
padded = torch.zeros(4, dtype=torch.long)
padded[torch.tensor([0, 1])] = torch.tensor([0.5, 1.5])
# %% fixed
source = torch.tensor([0.5, 1.5])
padded = torch.zeros(4, dtype=source.dtype)
padded[torch.tensor([0, 1])] = source

# %% message: scatter_add of float64
torch.zeros(4).scatter_add_(0, torch.tensor([0, 1]), torch.ones(2).double())
# %% fixed
target, source = torch.zeros(4), torch.ones(2).double()
target.scatter_add_(0, torch.tensor([0, 1]), source.to(target.dtype))

# %% message: float64 into a batch norm
nn.BatchNorm2d(3)(torch.rand(2, 3, 8, 8).double())
# %% fixed
layer, x = nn.BatchNorm2d(3), torch.rand(2, 3, 8, 8).double()
layer(x.to(layer.weight.dtype))

# %% message: float32 into a layer norm in bfloat16
nn.LayerNorm(8).bfloat16()(torch.rand(2, 8))
# %% fixed
layer, x = nn.LayerNorm(8).bfloat16(), torch.rand(2, 8)
layer(x.to(layer.weight.dtype))

# %% message: a complex number of two dtypes
torch.complex(torch.rand(2), torch.rand(2).double())

# %% message: interpolation towards float64
torch.lerp(torch.rand(2), torch.rand(2).double(), 0.5)

# %% right: class weights in float32, labels in int64
model, batch, labels = nn.Linear(16, 3), torch.rand(4, 16), torch.tensor([0, 1, 2, 0])
tensors = {"logits": model(batch), "class weights": torch.from_numpy(np.array([0.2, 0.3, 0.5])).float()}
nn.functional.cross_entropy(tensors["logits"], labels, weight=tensors["class weights"])

# %% right: a product in float64 on both sides
tensors = {"a": torch.rand(2, 30, 30).double(), "b": torch.from_numpy(np.ones((2, 30, 8)))}
tensors["a"] @ tensors["b"]
