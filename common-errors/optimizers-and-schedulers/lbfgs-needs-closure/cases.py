import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16, 1)

# %% a loss of one's own, in a loop for Adam
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5)
(model(x) - y).square().mean().backward()
optimizer.step()

# %% positions that are optimized
points = torch.randn(10, 2, requires_grad=True)
optimizer = torch.optim.LBFGS([points], max_iter=4)
torch.pdist(points).reciprocal().sum().backward()
optimizer.step()


# %% a class of one's own, with a closure that is required
class Sharpness(torch.optim.SGD):
    def step(self, closure):
        return super().step(closure)


optimizer = Sharpness(model.parameters(), lr=0.1)
model(x).mean().backward()
optimizer.step()

# %% message: a closure that returns nothing
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    (model(x) - y).square().mean().backward()


optimizer.step(closure)

# %% message: the closure is called, not passed
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = (model(x) - y).square().mean()
    loss.backward()
    return loss


optimizer.step(closure())

# %% fixed
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = (model(x) - y).square().mean()
    loss.backward()
    return loss


optimizer.step(closure)

# %% message: a closure that returns two values
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = (model(x) - y).square().mean()
    loss.backward()
    return loss, model(x)


optimizer.step(closure)

# %% message: learning rates by layer
optimizer = torch.optim.LBFGS([{"params": [model.weight]}, {"params": [model.bias], "lr": 0.1}])
# %% fixed
optimizer = torch.optim.LBFGS(model.parameters())

# %% message: a closure and a GradScaler
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(model(x).mean()).backward()
scaler.step(optimizer, closure=lambda: model(x).mean())

# %% right: LBFGS with a closure
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = (model(x) - y).square().mean()
    loss.backward()
    return loss


optimizer.step(closure)

# %% right: Adam needs none
optimizer = torch.optim.Adam(model.parameters())
model(x).mean().backward()
optimizer.step()
