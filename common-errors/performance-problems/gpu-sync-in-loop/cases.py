import torch
from torch import nn

torch.manual_seed(0)
inputs, labels = torch.randn(256, 32, device="cuda"), torch.randint(2, (256,), device="cuda")
hidden = [layer for _ in range(12) for layer in (nn.Linear(32, 32), nn.ReLU())]
model = nn.Sequential(*hidden, nn.Linear(32, 2)).to("cuda")
optimizer = torch.optim.Adam(model.parameters())


def update():
    loss = nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


# %% the norm of the gradient of every parameter is logged
def train_step():
    update()
    return {name: weight.grad.norm().item() for name, weight in model.named_parameters()}


train_step()


# %% a test for each row of a mask
def train_step():
    update()
    return [row for row in inputs > 1 if row.any()]


train_step()


# %% right: the norms are stacked and read at once
def train_step():
    update()
    return torch.stack([weight.grad.norm() for weight in model.parameters()]).tolist()


train_step()


# %% right: the loss is read in every step
def train_step():
    return update().item()


train_step()
