import io

import torch
from torch import nn

class Computes(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


# %% the newest opset that there is
model, batch = nn.Linear(4, 2), torch.rand(1, 4)
options = {"dynamo": False, "opset_version": 28}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% the version of ONNX in place of the opset
model, batch = nn.GELU(), torch.rand(1, 4)
options = {"dynamo": False, "opset_version": 123}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% a convolution over time
model, batch = nn.Conv1d(4, 8, 3), torch.rand(1, 4, 16)
options = {"dynamo": False, "opset_version": 30}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% an operator that a newer opset has
batch = torch.rand(1, 1, 8, 8)
model = Computes(lambda x: nn.functional.grid_sample(x, x[0].unflatten(1, (4, 2)).transpose(2, 3), align_corners=False))
options = {"dynamo": False, "opset_version": 11}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)
# %% fixed
batch = torch.rand(1, 1, 8, 8)
model = Computes(lambda x: nn.functional.grid_sample(x, x[0].unflatten(1, (4, 2)).transpose(2, 3), align_corners=False))
options = dict(dynamo=False, opset_version=16)
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% message: an LSTM
torch.onnx.export(nn.LSTM(4, 8), (torch.rand(5, 1, 4),), io.BytesIO(), dynamo=False, opset_version=40)

# %% message: a scripted function
torch.onnx.export(torch.jit.script(nn.ReLU()), (torch.rand(3),), io.BytesIO(), dynamo=False, opset_version=99)

# %% right: an opset that the old exporter knows
model, batch = nn.Linear(4, 2), torch.rand(1, 4)
options = {"dynamo": False, "opset_version": 17}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% right: a newer one, with the new exporter
model, batch = nn.Linear(4, 2), torch.rand(1, 4)
options = {"dynamo": True, "verbose": False, "opset_version": 23}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)
