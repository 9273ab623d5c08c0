import torch
from torch import nn

torch.manual_seed(0)

# %% a causal mask written by index
attention = torch.randn(2, 4, 6, 6).half()
tensor, value = attention, -1e9
tensor[:, :, torch.ones(6, 6).triu(1).bool()] = value
# %% fixed
scores = torch.randn(2, 4, 6, 6).half()
tensor, value = scores, torch.finfo(scores.dtype).min
tensor[:, :, torch.ones(6, 6).triu(1).bool()] = value

# %% the lowest number of another dtype
tensor, value = torch.zeros(8, 8).half(), torch.finfo(torch.float32).min
bias = tensor.masked_fill(torch.ones(8, 8).triu(1).bool(), torch.finfo(torch.float32).min)
# %% fixed
scores = torch.zeros(8, 8).half()
tensor, value = scores, torch.finfo(scores.dtype).min
bias = tensor.masked_fill(torch.ones(8, 8).triu(1).bool(), torch.finfo(scores.dtype).min)

# %% scores that autocast made float16
with torch.autocast("cpu", dtype=torch.float16):
    tensor, value = nn.Linear(8, 5)(torch.randn(3, 8)), -1e10
    logits = tensor.masked_fill(torch.tensor([True, False, False, True, False]), value)
# %% fixed
with torch.autocast("cpu", dtype=torch.float16):
    tensor, value = nn.Linear(8, 5)(torch.randn(3, 8)), float("-inf")
    logits = tensor.masked_fill(torch.tensor([True, False, False, True, False]), value)

# %% the lowest float32 in bfloat16
tensor, value = torch.zeros(8, 8).bfloat16(), torch.finfo(torch.float32).min
bias = tensor.masked_fill(torch.ones(8, 8).triu(1).bool(), value)
# %% fixed
scores = torch.zeros(8, 8).bfloat16()
tensor, value = scores, torch.finfo(scores.dtype).min
bias = tensor.masked_fill(torch.ones(8, 8).triu(1).bool(), value)

# %% the distance to a place not yet reached, in integers
tensor, value = torch.zeros(20, dtype=torch.long), float("inf")
distances = torch.full_like(tensor, value)
# %% fixed
tensor, value = torch.zeros(20, dtype=torch.float32), float("inf")
distances = torch.full_like(tensor, value)

# %% more than 256 classes in a uint8 mask
tensor, value = torch.zeros(4, 4, dtype=torch.uint8), 300
tensor[1:3, 1:3] = value
# %% fixed
labels = torch.zeros(4, 4, dtype=torch.uint8)
tensor, value = labels.long(), 300
tensor[1:3, 1:3] = value

# %% message: a list of classes
classes = torch.tensor([12, 300, 7], dtype=torch.uint8)
# %% fixed
classes = torch.tensor([12, 300, 7], dtype=torch.long)
labels = torch.tensor([12, 200, 7], dtype=torch.uint8)
labels.long()

# %% message: an id of a user in int32
ids = torch.tensor([7, 5_000_000_000], dtype=torch.int32)
# %% fixed
ids = torch.tensor([7, 5_000_000_000], dtype=torch.int64)

# %% the lowest float64 in float32
tensor, value = torch.zeros(4, 4), torch.finfo(torch.float64).min
tensor.fill_diagonal_(0).masked_fill_(torch.ones(4, 4).triu(1).bool(), value)
# %% fixed
x = torch.zeros(4, 4)
tensor, value = x, torch.finfo(x.dtype).min
tensor.fill_diagonal_(0).masked_fill_(torch.ones(4, 4).triu(1).bool(), value)

# %% a complex number in a real tensor
tensor, value = torch.zeros(3), 0.5 + 2j
tensor[0] = value
# %% fixed
x, value = torch.zeros(3), 0.5 + 2j
tensor = x.to(torch.complex64)
tensor[0] = value

# %% message: a float8 tensor
x = torch.zeros(3).to(torch.float8_e4m3fn)
x.fill_(1000.0)
# %% fixed
x = torch.zeros(3).to(torch.float8_e4m3fn)
value = 1000.0
x.fill_(min(value, torch.finfo(x.dtype).max))

# %% right: -1e9 in bfloat16
tensor, value = torch.zeros(8, 8).bfloat16(), -1e9
bias = tensor.masked_fill(torch.ones(8, 8).triu(1).bool(), value)

# %% right: minus infinity in float16
tensor, value = torch.zeros(8, 8).half(), float("-inf")
bias = tensor.masked_fill(torch.ones(8, 8).triu(1).bool(), value)
