import io

import torch
from torch import nn
from torch.nn import functional as F


class Computes(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


batch = torch.rand(1, 1, 8, 8)
inputs = (batch,)

# %% a spectrum
model = Computes(lambda x: torch.fft.rfft(x).abs())
options = {"dynamo": False}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% the k-th value, with the new exporter
model = Computes(lambda x: x.kthvalue(2, dim=-1).values)
options = {"dynamo": True, "verbose": False}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% an inverse, with the new exporter
model = Computes(lambda x: x + torch.linalg.inv(x))
options = {"dynamo": True, "verbose": False}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% an operator of your own, with the new exporter
@torch.library.custom_op("vision::soft_clip", mutates_args=())
def soft_clip(x: torch.Tensor) -> torch.Tensor:
    return x.tanh()


soft_clip.register_fake(torch.empty_like)
model = Computes(soft_clip)
options = {"dynamo": True, "verbose": False}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% message: an operator of your own
@torch.library.custom_op("vision::hard_clip", mutates_args=())
def hard_clip(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(-1, 1)


hard_clip.register_fake(torch.empty_like)
torch.onnx.export(Computes(hard_clip), (batch,), io.BytesIO(), dynamo=False)

# %% message: a random index
model = Computes(lambda x: x + torch.randint_like(x, 3))
torch.onnx.export(model, (batch,), io.BytesIO(), dynamo=False)

# %% message: a median
model = Computes(lambda x: x.median(dim=-1).values)
torch.onnx.export(model, (batch,), io.BytesIO(), dynamo=False)

# %% right: the same in other operators, which both exporters know
model = Computes(lambda x: x.sort(dim=-1).values[..., 1])
options = {"dynamo": False}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)

# %% right: complex numbers, with the new exporter
model = Computes(lambda x: torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (4, 2))) * 1j))
options = {"dynamo": True, "verbose": False}
torch.onnx.export(model, (batch,), io.BytesIO(), **options)
