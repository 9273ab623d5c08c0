import os

os.environ["PATH"] = "/opt/app/bin"
os.environ.pop("CXX", None)
import torch
from torch import nn

torch.manual_seed(0)
backend = "inductor"

# %% a compiled function
model = torch.compile(lambda x: x.sin() + 1)
batch = torch.randn(4, 8)
model(batch)

# %% compiled for the best speed
model = torch.compile(nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 2)), mode="max-autotune")
batch = torch.randn(4, 8)
model(batch)

# %% a backend of your own
def backend(graph, inputs):
    bits = int(os.environ.get("BITS", "fp16"))
    return graph.to(dtype=torch.float16 if bits == 16 else torch.float32).forward


model = torch.compile(nn.Linear(8, 2), backend=backend)
batch = torch.randn(4, 8)
model(batch)

# %% message: only the backward pass needs generated code
model = torch.compile(nn.Linear(8, 2))
model(torch.randn(4, 8)).sum().backward()

# %% message: a backend that does not exist
model = torch.compile(nn.Linear(8, 2), backend="tensor_rt")
model(torch.randn(4, 8))
# %% fixed
print(torch.compiler.list_backends())
model = torch.compile(nn.Linear(8, 2), backend="aot_eager")
model(torch.randn(4, 8))

# %% right: a backend that generates no code
backend = "aot_eager"
model = torch.compile(nn.Sequential(nn.Linear(8, 8), nn.GELU()), backend=backend)
batch = torch.randn(4, 8)
model(batch)

# %% right: not compiled
model = nn.Sequential(nn.Linear(8, 8), nn.GELU())
batch = torch.randn(4, 8)
model(batch)
