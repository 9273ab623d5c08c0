import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
batches, labels = torch.randn(5, 16, 8), torch.randint(3, (5, 16))

# %% eval() alone, and argmax hides the graph
def evaluate():
    model.eval()
    return sum((model(batch).argmax(1) == wanted).sum() for batch, wanted in zip(batches, labels, strict=True))


evaluate()

# %% the output is detached afterwards
def evaluate():
    return torch.cat([model(batch).detach() for batch in batches])


evaluate()

# %% a frozen encoder, and a head that is not
def evaluate():
    model[0].requires_grad_(False)
    return nn.functional.cross_entropy(model(batches[0]), labels[0]).item()


evaluate()

# %% right: no_grad as a block
def evaluate():
    with torch.no_grad():
        return torch.cat([model(batch) for batch in batches])


evaluate()

# %% right: every parameter is frozen
def evaluate():
    return model.requires_grad_(False)(batches[0]).argmax(1)


evaluate()
