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
# %% fixed
@torch.compile(fullgraph=True, backend="eager")
def limited(x):
    return torch.where((x > 1).any(), x.clamp(max=1), x)


limited(torch.rand(4))

# %% message: torch.compile and a length
@torch.compile(fullgraph=True, backend="eager")
def mean_of(row, tokens):
    n = (tokens != 0).sum().item()
    return row[:n].mean() if n > 0 else row[0]


mean_of(torch.rand(4), torch.tensor([3, 5, 0, 0]))


# %% fixed
@torch.compile(fullgraph=True, backend="eager")
def mean_of(row, tokens):
    mask = tokens != 0
    mean = (row * mask).sum() / mask.sum().clamp(min=1)
    return torch.where(mask.any(), mean, row[0])


mean_of(torch.rand(4), torch.tensor([3, 5, 0, 0]))

# %% message: torch.compile and a layer that the input chooses
layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])


@torch.compile(fullgraph=True, backend="eager")
def routed(x):
    return layers[x.sum().gt(0).long().item()](x)


routed(torch.rand(4))


# %% fixed
layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])


@torch.compile(fullgraph=True, backend="eager")
def routed(x):
    return torch.where(x.sum() > 0, layers[1](x), layers[0](x))


routed(torch.rand(4))

# %% message: an if that ends a loop
def generate(token, table):
    tokens = [token]
    for _ in range(4):
        token = table[token]
        tokens.append(token)
        if (token == 1).all():
            break
    return torch.stack(tokens, 1)


torch.export.export(Computes(generate), (torch.tensor([2, 3]), torch.tensor([0, 1, 1, 2])))


# %% fixed
def generate(token, table):
    tokens, finished = [token], token == 1
    for _ in range(4):
        token = torch.where(finished, token, table[token])
        finished = token == 1
        tokens.append(token)
    return torch.stack(tokens, 1)


torch.export.export(Computes(generate), (torch.tensor([2, 3]), torch.tensor([0, 1, 1, 2])))

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
