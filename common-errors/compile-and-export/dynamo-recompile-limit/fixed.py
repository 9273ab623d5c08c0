import torch
from torch import nn


class WarmedUp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(32, 10)
        # The value of a tensor is no part of the graph: it may change without a new compilation.
        self.register_buffer("step", torch.tensor(0.0))

    def forward(self, inputs):
        self.step += 1
        return self.layer(inputs) * (self.step / 100).clamp(max=1.0)


torch.manual_seed(0)
# The backend "eager" needs no C++ compiler; the limit is the same with any.
model = torch.compile(WarmedUp(), fullgraph=True, backend="eager")
inputs = torch.randn(16, 32)
for step in range(20):
    outputs = model(inputs)
print("all steps done")
