import torch
from torch import nn

torch.manual_seed(0)
batch = inputs = torch.randn(8, 16, device="cuda")


def parallel(model):
    return nn.DataParallel(model.cuda(), device_ids=[0, 0])


# %% the dtype of the model, as older versions of transformers ask for it
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(16, 4)

    def forward(self, inputs):
        return self.head(inputs.to(next(self.head.parameters()).dtype))


model = parallel(Masked())
model(batch)


# %% fixed
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(16, 4)

    def forward(self, inputs):
        return self.head(inputs.to(self.head.weight.dtype))


model = parallel(Masked())
model(batch)


# %% a hidden state made from the weights
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(16, 16)

    def forward(self, inputs):
        weight = next(self.parameters())
        return self.cell(inputs, weight.new_zeros(len(inputs), 16))


model = parallel(Recurrent())
model(batch)


# %% fixed
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(16, 16)

    def forward(self, inputs):
        return self.cell(inputs, torch.zeros(len(inputs), 16, device=inputs.device))


model = parallel(Recurrent())
model(batch)


# %% message: a key that forward does not find
class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleDict({"class": nn.Linear(16, 4)})

    def forward(self, batch, task):
        return {"class": 0, "depth": 1}[task] + self.heads["class"](batch)


parallel(Named())(batch, "normals")


# %% message: a mean over the words of a text without words
class Lengths(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(16, 4)

    def forward(self, batch, texts):
        return self.project(batch) / (len(batch) / len(texts))


parallel(Lengths())(batch, "")


# %% message: a setting that is no number
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(16, 4)

    def forward(self, batch, scale):
        return self.project(batch) * float(scale)


parallel(Scaled())(batch, "auto")

# %% right: the device of the input
model = parallel(nn.Sequential(nn.Linear(16, 4), nn.ReLU()))
model(batch)
