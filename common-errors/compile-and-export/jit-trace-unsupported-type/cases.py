from dataclasses import dataclass

import torch
from torch import nn

x = torch.ones(2, 8)
options = {}


class Computes(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


# %% a dict of outputs
model, images = Computes(lambda x: {"mean": x.mean(), "max": x.max()}), x
torch.jit.trace(model, images, **options)
# %% fixed
model, images = Computes(lambda x: {"mean": x.mean(), "max": x.max()}), x
options = dict(strict=False)
torch.jit.trace(model, images, **options)

# %% feature maps of several levels
model, images = Computes(lambda x: [[x * 1], [x * 2, x * 3]]), x
torch.jit.trace(model, images, **options)

# %% detections with a number of classes
model, images = Computes(lambda x: {"boxes": x * 2, "classes": 80}), x
options = dict(strict=False)
torch.jit.trace(model, images, **options)

# %% an output class
@dataclass
class Output:
    logits: torch.Tensor


model, images = Computes(lambda x: Output(x * 2)), x
torch.jit.trace(model, images, **options)

# %% no loss without labels
model, images = Computes(lambda x: (x * 2, None)), x
torch.jit.trace(model, images, **options)

# %% a name among the outputs
model, images = Computes(lambda x: (x * 2, "softmax")), x
torch.jit.trace(model, images, **options)

# %% a number as an input
model, images = Computes(lambda x, scale: x * scale), (x, 2)
torch.jit.trace(model, images, **options)

# %% a dict in a dict
model, images = Computes(lambda x: {"scores": x * 2, "losses": {"mean": x.mean()}}), x
options = {"strict": False}
torch.jit.trace(model, images, **options)

# %% message: no result without labels
torch.jit.trace(Computes(lambda x: None), x)

# %% message: a text in a dict
model = Computes(lambda x: {"scores": x * 2, "activation": "softmax"})
torch.jit.trace(model, x)

# %% message: an array as an input
model = Computes(lambda x, weight: x * 2)
torch.jit.trace(model, (x, x.numpy()))

# %% message: an object as an input
class Output:
    def __init__(self, logits):
        self.logits = logits


model = Computes(lambda output: output.logits * 2)
torch.jit.trace(model, (Output(x),))

# %% right: tuples
model, images = Computes(lambda x: (x * 2, (x.mean(), x.max()))), x
torch.jit.trace(model, images, **options)

# %% right: a dict with constant keys
options = {"strict": False}
model, images = Computes(lambda x: {"mean": x.mean()}), x
torch.jit.trace(model, images, **options)
