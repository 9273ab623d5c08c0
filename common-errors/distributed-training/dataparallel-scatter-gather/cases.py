import torch
from torch import nn

torch.manual_seed(0)


def parallel(model):
    return nn.DataParallel(model.cuda(), device_ids=[0, 0])


class Cut(nn.Module):
    """Leaves out what is padding in its own part of the batch."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 4)

    def forward(self, batch, lengths):
        return self.project(batch[:, : lengths.max()])


class Classes(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 4)

    def forward(self, batch, classes=None, **others):
        scores = self.project(batch)
        return scores if classes is None else scores @ classes.T


def outputs_of_copies(model, *inputs):
    """What each copy returns, before it is joined."""
    parts = nn.parallel.scatter(inputs, [0, 0])
    return [model.module(*part) for part in parts]


# %% every copy cuts its part to its own longest sequence
batch, lengths = torch.randn(4, 9, 8, device="cuda"), torch.tensor([9, 7, 5, 4], device="cuda")
model = parallel(Cut())
outputs = outputs_of_copies(model, batch, lengths)
model(batch, lengths)

# %% a table that is no batch is split, too
batch, classes = torch.randn(6, 8, device="cuda"), torch.randn(5, 4, device="cuda")
model = parallel(Classes())
outputs = outputs_of_copies(model, batch, classes)
model(batch, classes)

# %% message: a number that is a tensor
parallel(Classes())(torch.randn(6, 8, device="cuda"), num_items=torch.tensor(6, device="cuda"))

# %% fixed
value = torch.tensor(6, device="cuda")
parallel(Classes())(torch.randn(6, 8, device="cuda"), num_items=value.item())


# %% message: the copies return different keys
class Boxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 4)

    def forward(self, batch):
        found = {"scores": self.project(batch)}
        if batch.sum() > 0:
            found["boxes"] = found["scores"]
        return found


parallel(Boxes())(torch.cat([torch.ones(3, 8), -torch.ones(3, 8)]).cuda())

# %% message: the model is still on the CPU
nn.DataParallel(Classes(), device_ids=[0, 0])(torch.randn(6, 8))

# %% fixed
model = Classes()
model.to("cuda:0")
nn.DataParallel(model, device_ids=[0, 0])(torch.randn(6, 8))

# %% right: all copies return rows of the same length
batch = torch.randn(6, 8, device="cuda")
model = parallel(Classes())
outputs = outputs_of_copies(model, batch)
model(batch)
