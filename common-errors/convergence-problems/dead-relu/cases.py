import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
kinds = torch.randint(4, (512,))
images = (torch.rand(4, 1, 8, 8)[kinds] + 0.1 * torch.randn(512, 1, 8, 8)).clamp(0, 1)


def fit(model, inputs, optimizer, passes=10, loss_of=lambda output: F.cross_entropy(output, kinds)):
    for _ in range(16 * passes):
        optimizer.zero_grad()
        loss_of(model(inputs)).backward()
        optimizer.step()


# %% images of 0 to 255 in a convolutional network
inputs = 255 * images
model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 4))
fit(model, inputs, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), passes=2)
# %% fixed
inputs = (images - images.mean()) / images.std()
model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 4))
fit(model, inputs, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), passes=2)

# %% a regression of prices in thousands, all inputs positive
inputs = 100 + 50 * torch.rand(512, 6)
prices = inputs.sum(dim=1, keepdim=True) / 3
model = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 1))
fit(model, inputs, torch.optim.Adam(model.parameters(), lr=0.5), loss_of=lambda output: F.mse_loss(output, prices))

# %% right: the same, standardized
inputs = 100 + 50 * torch.rand(512, 6)
prices = (inputs.sum(dim=1, keepdim=True) - 375) / 35
inputs = (inputs - inputs.mean(dim=0)) / inputs.std(dim=0)
model = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 1))
fit(model, inputs, torch.optim.Adam(model.parameters(), lr=0.02), loss_of=lambda output: F.mse_loss(output, prices))

# %% right: a sparse code, of whose units few are used by a sample
inputs = torch.randn(512, 16)
model = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 16))
model[0].bias.data.fill_(-1.5)
fit(model, inputs, torch.optim.Adam(model.parameters()), loss_of=lambda output: F.mse_loss(output, inputs))

# %% right: a hinge that all pairs satisfy, and a branch that begins at zero
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu, self.first, self.second = nn.ReLU(), nn.Linear(64, 64), nn.Linear(64, 4)
        nn.init.zeros_(self.first.weight)

    def forward(self, batch):
        return self.second(batch + self.relu(self.first(batch)))


inputs, model = images.flatten(1), Block()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
fit(model, inputs, optimizer, loss_of=lambda output: F.cross_entropy(output, kinds) + F.relu(output.abs() - 1e3).mean())

# %% watched: a class with functional ReLU, in which a first step of momentum has ended all units
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.middle, self.head = nn.Linear(64, 96), nn.Linear(96, 96), nn.Linear(96, 4)

    def forward(self, batch):
        return self.head(F.relu(self.middle(torch.relu(self.encode(batch.flatten(1))))))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9, nesterov=True)
for step in range(140):
    rows = torch.randint(512, (64,))
    optimizer.zero_grad()
    F.nll_loss(net(20 * images[rows]).log_softmax(1), kinds[rows]).backward()
    optimizer.step()
