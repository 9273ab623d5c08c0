import tempfile

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 8)

    def forward(self, tokens, mask, labels=None):
        return self.embedding(tokens) * mask.unsqueeze(-1)


model = Classifier()
tokens, mask = torch.randint(100, (2, 5)), torch.ones(2, 5)

# %% a batch that is not unpacked
module, args, kwargs = model, ((tokens, mask),), {}
module(*args, **kwargs)

# %% two arguments are missing
module, args, kwargs = nn.Sequential(nn.MultiheadAttention(8, 2)), (torch.rand(4, 2, 8),), {}
module = module[0]
module(*args)

# %% two inputs to Sequential
module, args, kwargs = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 2)), (tokens, mask), {}
module(*args)

# %% one input too many
module, args, kwargs = nn.CrossEntropyLoss(), (torch.rand(2, 3), torch.tensor([0, 1]), torch.ones(3)), {}
module(*args)

# %% too many for a forward with defaults
module, args, kwargs = model, (tokens, mask, None, True), {}
module(*args)

# %% a keyword of the tokenizer
module, args, kwargs = model, (tokens,), {"mask": mask, "token_type_ids": tokens}
module(*args, **kwargs)

# %% the same by position and keyword
module, args, kwargs = model, (tokens, mask), {"mask": mask}
module(*args, **kwargs)

# %% a forward without self
class Doubled(nn.Module):
    def forward(x):
        return 2 * x


module, args, kwargs = Doubled(), (tokens,), {}
module(*args)
# %% fixed
class Doubled(nn.Module):
    def forward(self, x):
        return 2 * x


module, args, kwargs = Doubled(), (tokens,), {}
module(*args)

# %% message: in a layer of a larger model
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)

    def forward(self, x):
        return self.attention(x, x)


Decoder()(torch.rand(4, 2, 8))

# %% message: an older compute_loss
class WeightedTrainer:
    def compute_loss(self, model, inputs, return_outputs=False):
        return model(**inputs).mean()


WeightedTrainer().compute_loss(model, {"tokens": tokens, "mask": mask}, num_items_in_batch=2)
# %% fixed
class WeightedTrainer:
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        return model(**inputs).mean()


WeightedTrainer().compute_loss(model, {"tokens": tokens, "mask": mask}, num_items_in_batch=2)

# %% message: a function of mp.spawn without the index
def train(world_size):
    print(f"one of {world_size}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tempfile.tempdir:  # spawn leaves a file there
        torch.multiprocessing.spawn(train, args=(1,), nprocs=1)
# %% fixed
import torch.multiprocessing as mp


def train(rank, world_size):
    print(f"{rank} of {world_size}")


if __name__ == "__main__":
    world_size = 1
    mp.spawn(train, args=(world_size,), nprocs=world_size)

# %% message: args of mp.spawn that leave out a parameter
def train(rank, world_size, folder):
    print(f"{rank} of {world_size} reads {folder}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tempfile.tempdir:  # spawn leaves a file there
        torch.multiprocessing.spawn(train, args=(1,), nprocs=1)
# %% fixed
import torch.multiprocessing as mp


def train(rank, world_size):
    print(f"{rank} of {world_size}")


if __name__ == "__main__":
    world_size = 1
    mp.spawn(train, args=(world_size,), nprocs=world_size)

# %% right: a batch as keywords
module, args, kwargs = model, (), {"tokens": tokens, "mask": mask}
module(**kwargs)

# %% right: an optional argument is left out
module, args, kwargs = model, (tokens, mask), {}
module(*args)
