import functools
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 8)

    def forward(self, tokens, mask, labels=None):
        return self.embedding(tokens) * mask.unsqueeze(-1)


model = Classifier()
tokens, mask = torch.randint(100, (2, 5)), torch.ones(2, 5)

# %% a batch that is not unpacked
module, call = model, lambda module: module((tokens, mask))
call(module)

# %% two arguments are missing
layers = nn.Sequential(nn.MultiheadAttention(8, 2))
module, call = layers[0], lambda module: module(torch.rand(4, 2, 8))
call(module)

# %% two inputs to Sequential
module, call = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 2)), lambda module: module(tokens, mask)
call(module)

# %% one input too many
module = nn.CrossEntropyLoss()
call = lambda module: module(torch.rand(2, 3), torch.tensor([0, 1]), torch.ones(3))
call(module)

# %% too many for a forward with defaults
module, call = model, lambda module: module(tokens, mask, None, True)
call(module)

# %% a keyword of the tokenizer
module, call = model, lambda module: module(tokens, mask=mask, token_type_ids=tokens)
call(module)

# %% the same by position and keyword
module, call = model, lambda module: module(tokens, mask, mask=mask)
call(module)

# %% a forward without self
class Doubled(nn.Module):
    def forward(x):
        return 2 * x


module, call = Doubled(), lambda module: module(tokens)
call(module)
# %% fixed
class Doubled(nn.Module):
    def forward(self, x):
        return 2 * x


module, call = Doubled(), lambda module: module(tokens)
call(module)

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

# %% message: a method without self as collate_fn
class Reviews:
    def collate(samples):
        return torch.stack(samples)


next(iter(DataLoader(torch.rand(6, 4), batch_size=2, collate_fn=Reviews().collate)))
# %% fixed
class Reviews:
    @staticmethod
    def collate(samples):
        return torch.stack(samples)


next(iter(DataLoader(torch.rand(6, 4), batch_size=2, collate_fn=Reviews().collate)))

# %% message: a collate_fn without a parameter
next(iter(DataLoader(torch.rand(6, 4), batch_size=2, collate_fn=lambda: torch.zeros(4))))
# %% fixed
def collate(samples):
    return torch.stack(samples)


next(iter(DataLoader(torch.rand(6, 4), batch_size=2, collate_fn=collate)))

# %% message: a collate_fn with a parameter of its own
def collate(samples, pad_id):
    return nn.utils.rnn.pad_sequence(samples, padding_value=pad_id)


next(iter(DataLoader(torch.rand(6, 4), batch_size=2, collate_fn=collate)))
# %% fixed
def collate(samples, pad_id):
    return nn.utils.rnn.pad_sequence(samples, padding_value=pad_id)


next(iter(DataLoader(torch.rand(6, 4), batch_size=2, collate_fn=functools.partial(collate, pad_id=0))))

# %% message: a step of Lightning without the index
class Segmenter(nn.Module):
    def validation_step(self, batch):
        return batch.mean()


Segmenter().validation_step(torch.rand(2, 4), 0)
# %% fixed
class Segmenter(nn.Module):
    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        return batch.mean()


Segmenter().validation_step(torch.rand(2, 4), 0)

# %% message: a hook of Lightning 1
class Segmenter(nn.Module):
    def on_validation_epoch_end(self, outputs):
        return torch.stack(outputs).mean()


Segmenter().on_validation_epoch_end()
# %% fixed
class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.outputs = []

    def validation_step(self, batch, batch_idx):
        loss = batch.mean()
        self.outputs.append(loss)

    def on_validation_epoch_end(self):
        mean = torch.stack(self.outputs).mean()
        self.outputs.clear()
        return mean


trained = Segmenter()
trained.validation_step(torch.rand(2, 4), 0)
trained.on_validation_epoch_end()

# %% right: a batch as keywords
module, call = model, lambda module: module(**{"tokens": tokens, "mask": mask})
call(module)

# %% right: an optional argument is left out
module, call = model, lambda module: module(tokens, mask)
call(module)

# %% undecided: a wrapper passes everything on
module, call = nn.DataParallel(model), lambda module: module(tokens, mask)
call(module)
