import io

import torch
from torch import nn

torch.manual_seed(0)


class Computes(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


features, padding = torch.rand(8, 20, 4), torch.rand(8, 20) > 0.9

# %% an if on a boolean tensor
def masked(features, padding):
    if padding.any():
        features = features.masked_fill(padding.unsqueeze(-1), 0.0)
    return features.mean(dim=1)


model, inputs = Computes(masked), (features, padding)
torch.export.export(model, inputs)

# %% an if on the number of rows that a mask keeps
def best(boxes, scores):
    kept = boxes[scores > 0.5]
    if kept.shape[0] > 3:
        kept = kept[:3]
    return kept


model, inputs = Computes(best), (torch.rand(20, 4), torch.rand(20))
torch.export.export(model, inputs)

# %% a loop over a length
def summed(tokens, lengths):
    return sum(tokens[:, step] for step in range(lengths.max().item()))


model, inputs = Computes(summed), (torch.randint(100, (2, 8)), torch.tensor([3, 5]))
torch.export.export(model, inputs)

# %% message: the ONNX exporter
def halved(x, y):
    return x / 2 if y.max() > 1 else x


torch.onnx.export(Computes(halved), (torch.rand(4), torch.rand(4)), io.BytesIO(), dynamo=True, verbose=False)

# %% message: torch.compile
@torch.compile(fullgraph=True, backend="eager")
def limited(x):
    return x.clamp(max=1) if bool((x > 1).any()) else x


limited(torch.rand(4))

# %% message: a value beyond a torch._check
def first(x, y):
    count = y.item()
    torch._check(count < 10)
    return x * count


program = torch.export.export(Computes(first), (torch.rand(4), torch.tensor(3)))
program.module()(torch.rand(4), torch.tensor(12))

# %% right: a slice up to a length
model, inputs = Computes(lambda x, y: x[:, : y.max().item()].mean(dim=1)), (torch.rand(2, 8, 4), torch.tensor([3, 5]))
program = torch.export.export(model, inputs)

# %% right: an if on a shape
model, inputs = Computes(lambda x, y: x + y if x.shape[0] > 3 else x), (torch.rand(4), torch.rand(4))
program = torch.export.export(model, inputs)
