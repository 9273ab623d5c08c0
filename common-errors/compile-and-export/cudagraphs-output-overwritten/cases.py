import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(16, 16, device="cuda")


# %% two results are compared
@torch.compile(mode="reduce-overhead")
def multiply(x):
    return torch.matmul(x, x)


result = multiply(inputs)
multiply(inputs)
print(result)
# %% fixed
@torch.compile(mode="reduce-overhead")
def multiply(x):
    return torch.matmul(x, x)


result = multiply(inputs).clone()
multiply(inputs)
print(result)

# %% the result goes into the next compiled function
encode = torch.compile(lambda x: x + 1, mode="reduce-overhead")
decode = torch.compile(lambda x: x * 2, mode="reduce-overhead")
result = encode(inputs)
decode(result)
# %% fixed
encode = torch.compile(lambda x: x + 1, mode="reduce-overhead")
decode = torch.compile(lambda x: x * 2, mode="reduce-overhead")
result = encode(inputs).clone()
decode(result)

# %% the result goes into the same function again
step = torch.compile(lambda state: state + 1, mode="reduce-overhead")
result = step(inputs)
step(result)
# %% fixed
step = torch.compile(lambda state: state + 1, mode="reduce-overhead")
result = step(inputs).clone()
step(result)

# %% gradients are accumulated
model = nn.Linear(16, 1).to("cuda")
compiled = torch.compile(model, mode="reduce-overhead")
for _ in range(5):
    torch.compiler.cudagraph_mark_step_begin()
    compiled(inputs).clone().sum().backward()
    result = model.weight.grad
# %% fixed
model = nn.Linear(16, 1).to("cuda")
compiled = torch.compile(model, mode="reduce-overhead")
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)
for _ in range(5):
    torch.compiler.cudagraph_mark_step_begin()
    compiled(inputs).clone().sum().backward()
    result = model.weight.grad

# %% a table of positions is kept for later calls
positions = torch.compile(lambda x: x.cumsum(0).sin(), mode="max-autotune")
result = positions(inputs)
positions(inputs)
print(result.mean())

# %% right: only the last result is read
step = torch.compile(lambda x: x + 1, mode="reduce-overhead")
for _ in range(3):
    result = step(inputs)
print(result.mean())
