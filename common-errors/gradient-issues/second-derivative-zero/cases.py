import torch
from torch import nn

torch.manual_seed(0)
points = torch.rand(32, 2, requires_grad=True)


def net(activation):
    return nn.Sequential(nn.Linear(2, 16), activation, nn.Linear(16, 16), activation, nn.Linear(16, 1))


def derivatives(model):
    """The gradient by (x, t), and the second derivative by x."""
    first = torch.autograd.grad(model(points).sum(), points, create_graph=True)[0]
    second = torch.autograd.grad(first[:, 0].sum(), points, create_graph=True)[0]
    return first, second[:, :1]


def fit(model, residual, steps=4):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        loss = residual(*derivatives(model)).square().mean() + model(points).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


heat = lambda first, second: first[:, 1:] - 0.1 * second

# %% the heat equation with LeakyReLU
model = net(nn.LeakyReLU(0.1))
fit(model, heat)
u_x, u_xx = derivatives(model)
# %% fixed
model = net(nn.Tanh())
fit(model, heat)
u_x, u_xx = derivatives(model)

# %% curvature as a penalty, with Hardtanh
model = net(nn.Hardtanh())
fit(model, lambda first, second: 0.1 * second)
u_x, u_xx = derivatives(model)

# %% watched: PReLU, and boundary points in another call
model = net(nn.PReLU())
fit(model, lambda first, second: second + 1)

# %% right: SiLU
model = net(nn.SiLU())
fit(model, heat)
u_x, u_xx = derivatives(model)

# %% right: the square of ReLU has a second derivative
class SquaredReLU(nn.Module):
    def forward(self, inputs):
        return inputs.relu().square()


model = net(SquaredReLU())
fit(model, heat)
u_x, u_xx = derivatives(model)

# %% right: ReLU layers whose result a smooth function ends
class Positive(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = net(nn.ReLU())

    def forward(self, points):
        return self.layers(points).exp()


model = Positive()
fit(model, heat)
u_x, u_xx = derivatives(model)

# %% right: the last layer starts at zero, and one of two branches has ReLU
class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinks, self.smooth, self.last = nn.Linear(2, 8), nn.Linear(2, 8), nn.Linear(16, 1)
        nn.init.zeros_(self.last.weight)

    def forward(self, points):
        return self.last(torch.cat([self.kinks(points).relu(), self.smooth(points).tanh()], dim=1))


model = Branches()
fit(model, heat)
u_x, u_xx = derivatives(model)

# %% right: the derivatives by an input that only the smooth branch reads
class Separable(nn.Module):
    def __init__(self):
        super().__init__()
        self.of_x = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
        self.of_y = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x, y):
        return self.of_x(x) + self.of_y(y)


model, x, y = Separable(), torch.rand(32, 1, requires_grad=True), torch.rand(32, 1, requires_grad=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(4):
    u_x = torch.autograd.grad(model(x, y).sum(), y, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x.sum(), y, create_graph=True)[0]
    optimizer.zero_grad()
    (u_xx + u_x).square().mean().backward()
    optimizer.step()

# %% undecided: the model is zero at first
model = net(nn.Tanh())
nn.init.zeros_(model[-1].weight)
u_x, u_xx = derivatives(model)
