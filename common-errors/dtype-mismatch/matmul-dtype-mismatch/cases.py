import numpy as np
import torch
from torch import nn

torch.manual_seed(0)

# %% ids in the place of embeddings
model = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 2))
batch = torch.randint(100, (4, 20))
model(batch)
# %% fixed
model = nn.Sequential(nn.Embedding(100, 20), nn.Linear(20, 8))
batch = torch.randint(100, (4, 20))
model(batch)

# %% a checkpoint in bfloat16
model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1)).bfloat16()
batch = torch.randn(4, 12)
model(batch)
# %% fixed
model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1)).bfloat16()
x, layer = torch.randn(4, 12), model[0]
batch = x.to(layer.weight.dtype)
model(batch)

# %% one layer stayed in float32
model = nn.Sequential(nn.Linear(12, 8).half(), nn.ReLU(), nn.Linear(8, 1))
batch = torch.randn(4, 12).half()
model(batch)
# %% fixed
model = nn.Sequential(nn.Linear(12, 8).half(), nn.ReLU(), nn.Linear(8, 1))
x, layer = torch.randn(4, 12).half(), model[2]
model.forward = lambda x: layer(model[:2](x).to(layer.weight.dtype))
batch = x.to(layer.weight.dtype).half()
model(batch)

# %% a series of pandas into an LSTM
model = nn.LSTM(3, 8, batch_first=True)
batch = torch.from_numpy(np.random.default_rng(0).normal(size=(4, 20, 3)))
model(batch)
# %% fixed
model = nn.LSTM(3, 8, batch_first=True)
input = torch.from_numpy(np.random.default_rng(0).normal(size=(4, 20, 3)))
batch = input.to(torch.float32)
model(batch)

# %% message: a model in float64
nn.Linear(12, 1).double()(torch.randn(4, 12))
# %% fixed
x, layer = torch.randn(4, 12), nn.Linear(12, 1).double()
layer(x.to(layer.weight.dtype))

# %% message: weights of a product without a layer
weights = torch.rand(6, 6).softmax(-1) @ torch.randn(6, 8).half()
# %% fixed
a, b = torch.rand(6, 6).softmax(-1), torch.randn(6, 8).half()
weights = a.to(b.dtype) @ b

# %% message: counts times weights
scores = torch.ones(4, 3, dtype=torch.long) @ torch.rand(3, 2)
# %% fixed
a, b = torch.ones(4, 3, dtype=torch.long), torch.rand(3, 2)
scores = a.to(b.dtype) @ b

# %% message: a spectrum into a layer
nn.Linear(9, 3)(torch.fft.rfft(torch.rand(4, 16)))
# %% fixed
nn.Linear(9, 3, dtype=torch.complex64)(torch.fft.rfft(torch.rand(4, 16)))

# %% message: a spectrum times a real matrix
torch.fft.rfft(torch.rand(4, 16)) @ torch.rand(9, 3)
# %% fixed
real, other = torch.rand(9, 3), torch.fft.rfft(torch.rand(4, 16))
other @ real.to(other.dtype)

# %% message: quantized weights
weight = torch.randn(8, 16).to(torch.float8_e4m3fn)
nn.functional.linear(torch.randn(4, 16).half(), weight, torch.zeros(8).half())

# %% message: a bias that stayed in float32
layer, batch = nn.Linear(16, 8).half(), torch.randn(4, 16).half()
layer.bias = nn.Parameter(torch.zeros(8))
layer(batch)
# %% fixed
layer, batch = nn.Linear(16, 8).half(), torch.randn(4, 16).half()
layer.bias = nn.Parameter(torch.zeros(8))
layer.to(layer.weight.dtype)
layer(batch)

# %% message: a hidden state in float64
cell, state = nn.GRUCell(4, 3), torch.from_numpy(np.zeros((2, 3)))
cell(torch.randn(2, 4), state)
# %% fixed
cell, state = nn.GRUCell(4, 3), torch.from_numpy(np.zeros((2, 3)))
cell(torch.randn(2, 4), state.float())

# %% message: sequences in bfloat16 into a layer without a bias
layer = nn.Linear(4, 3, bias=False)
layer(torch.randn(2, 5, 4).bfloat16())
# %% fixed
layer, x = nn.Linear(4, 3, bias=False), torch.randn(2, 5, 4).bfloat16()
layer(x.to(layer.weight.dtype))

# %% message: attention with a value in float16
query = torch.rand(1, 2, 6, 8)
nn.functional.scaled_dot_product_attention(query, query, query.half())

# %% message: a matrix times a vector
torch.rand(4, 4) @ torch.rand(4).double()

# %% message: two vectors
torch.rand(4) @ torch.rand(4).double()

# %% right: autocast converts what reaches the layers
model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1))
model.forward = torch.autocast("cpu", dtype=torch.bfloat16)(model.forward)
batch = torch.randn(4, 12)
model(batch)

# %% right: model and input in float64
model = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1)).double()
batch = torch.from_numpy(np.ones((4, 12)))
model(batch)
