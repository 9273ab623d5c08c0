import logging
import os
import time
import warnings

import torch
from torch import nn

logger = logging.getLogger("train")
torch.manual_seed(0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, inputs):
        features = self.linear(inputs)
        if features.abs().max() > 1:
            features = features / 2
        return features


# %% a loop that ends when the norm is small
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    while features.norm() > 1:
        features = features / 2
    return features


batch = torch.randn(4, 8)
model(batch)
# %% fixed
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    for _ in range(4):
        features = torch.where(features.norm() > 1, features / 2, features)
    return features


batch = torch.randn(4, 8)
model(batch)

# %% strict export
model, batch = Scaled(), torch.randn(4, 8)
program = torch.export.export(model, (batch,), strict=True)
# %% fixed
class Chosen(Scaled):
    def forward(self, inputs):
        features = self.linear(inputs)
        return torch.where(features.abs().max() > 1, features / 2, features)


model, batch = Chosen(), torch.randn(4, 8)
program = torch.export.export(model, (batch,), strict=True)

# %% compiled in place
model, batch = Scaled(), torch.randn(4, 8)
model.compile(fullgraph=True, backend="eager")
model(batch)
# %% fixed
class Clamped(Scaled):
    def forward(self, inputs):
        features = self.linear(inputs)
        return torch.where(features.abs().max() > 1, features / 2, features)


model, batch = Clamped(), torch.randn(4, 8)
model.compile(fullgraph=True, backend="eager")
model(batch)

# %% a print before the first operation
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    print("input:", features)
    return features.relu()


batch = torch.randn(4, 8)
model(batch)
# %% fixed
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    if not torch.compiler.is_compiling():
        print("input:", features)
    return features.relu()


batch = torch.randn(4, 8)
model(batch)

# %% a file opened in the forward pass
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    with open("scale.txt") as file:
        return features * float(file.read())


batch = torch.randn(4, 8)
model(batch)

# %% a warning
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    if features.shape[1] % 16:
        warnings.warn("slow: pad the features to a multiple of 16")
    return features.relu()


batch = torch.randn(4, 8)
model(batch)
# %% fixed
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    if not torch.compiler.is_compiling():
        warnings.warn("slow: pad the features to a multiple of 16")
    return features.relu()


batch = torch.randn(4, 8)
model(batch)

# %% a function of a C extension
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    return features / len(os.listdir("."))


batch = torch.randn(4, 8)
model(batch)

# %% a seed set in the forward pass
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    torch.manual_seed(0)
    return features + torch.randn(8)


batch = torch.randn(4, 8)
model(batch)

# %% message: a log line
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    logger.info("shape: %s", features.shape)
    return features.relu()


model(torch.randn(4, 8))
# %% fixed
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    if not torch.compiler.is_compiling():
        logger.info("shape: %s", features.shape)
    return features.relu()


model(torch.randn(4, 8))

# %% message: the time taken inside
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    start = time.perf_counter()
    features = features.relu()
    return features, time.perf_counter() - start


model(torch.randn(4, 8))

# %% message: a whole training step is compiled
linear = nn.Linear(8, 2)


@torch.compile(fullgraph=True, backend="eager")
def step(batch):
    linear(batch).sum().backward()


step(torch.randn(4, 8))
# %% fixed
linear = nn.Linear(8, 2)


@torch.compile(fullgraph=True, backend="eager")
def loss_of(batch):
    return linear(batch).sum()


loss_of(torch.randn(4, 8)).backward()

# %% message: values as a list
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    return features * features.tolist()[0][0]


model(torch.randn(4, 8))

# %% message: the number of threads as a factor
scale = torch.compile(lambda x: x / torch.get_num_threads(), backend="eager", fullgraph=True)
scale(torch.randn(4))
# %% fixed
get_num_threads = torch.get_num_threads
threads = get_num_threads()
scale = torch.compile(lambda x: x / threads, backend="eager", fullgraph=True)
scale(torch.randn(4))

# %% right: an if on a shape
@torch.compile(fullgraph=True, backend="eager")
def model(features):
    if features.shape[0] > 2:
        features = features / 2
    return features.relu()


batch = torch.randn(4, 8)
model(batch)

# %% right: a number from item(), and no decision
model = torch.compile(lambda features: features * features.mean().item(), fullgraph=True, backend="eager")
batch = torch.randn(4, 8)
model(batch)
