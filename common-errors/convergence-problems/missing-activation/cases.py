import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = torch.randn(64, 12), torch.randint(3, (64,))
images = torch.randn(32, 1, 12, 12)


def train(model, loss_of, steps=5):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

# %% a Sequential for regression, with batch normalization and dropout but no activation
model = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.Dropout(0.2), nn.Linear(32, 16), nn.Linear(16, 1))
train(model, lambda: F.mse_loss(model(inputs)[:, 0], labels.float()))
# %% fixed
model = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
train(model, lambda: F.mse_loss(model(inputs)[:, 0], labels.float()))

# %% an activation that is created and not called
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.relu, self.head = nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(F.avg_pool2d(self.conv(x), 12).flatten(1))


model, inputs = Network(), images
train(model, lambda: F.cross_entropy(model(images), labels[:32]))

# %% watched: a head and an encoder without activations, around one max pooling
class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3)
        self.fc1, self.fc2 = nn.Linear(256, 32), nn.Linear(32, 3)

    def forward(self, x):
        x = F.max_pool2d(self.conv2(self.conv1(x)), 2)
        return F.log_softmax(self.fc2(F.dropout(self.fc1(x.flatten(1)), training=self.training)), dim=1)


model = Digits()
train(model, lambda: F.nll_loss(model(images), labels[:32]))

# %% watched: residual blocks in bfloat16, without an activation anywhere
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.back = nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x):
        return x + F.dropout(self.back(self.wide(x)), 0.1, self.training)


model = nn.Sequential(nn.Linear(12, 16), Block(), Block(), nn.Linear(16, 3))


def loss_of():
    with torch.autocast("cpu", torch.bfloat16):
        return F.cross_entropy(model(inputs), labels)


train(model, loss_of)

# %% watched: an autoencoder of two layers on each side, without activations
model = nn.Sequential(nn.Linear(12, 8), nn.Linear(8, 3), nn.Linear(3, 8), nn.Linear(8, 12))
train(model, lambda: F.mse_loss(model(inputs), inputs))

# %% right: one layer, a linear regression
model = nn.Sequential(nn.Flatten(), nn.Linear(12, 1))
train(model, lambda: F.mse_loss(model(inputs)[:, 0], labels.float()))

# %% right: a linear autoencoder, whose narrow layer is its purpose
model = nn.Sequential(nn.Linear(12, 3), nn.Linear(3, 12))
train(model, lambda: F.mse_loss(model(inputs), inputs))

# %% right: LoRA beside frozen layers
class Adapted(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.down, self.up = layer, nn.Linear(12, 4, bias=False), nn.Linear(4, 12, bias=False)
        layer.requires_grad_(False)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


model = nn.Sequential(Adapted(nn.Linear(12, 12)), nn.GELU(), Adapted(nn.Linear(12, 12)), nn.GELU(), nn.Linear(12, 3))
train(model, lambda: F.cross_entropy(model(inputs), labels))

# %% right: depthwise separable convolutions and a projection in front of attention
class Separable(nn.Module):
    def __init__(self):
        super().__init__()
        self.deep, self.point = nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.Conv2d(8, 8, 1)
        self.first, self.project = nn.Conv2d(1, 8, 3, padding=1), nn.Linear(8, 16)
        self.attend = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        x = F.relu(self.point(self.deep(F.relu(self.first(x)))))
        return self.head(self.attend(self.project(x.flatten(2).transpose(1, 2))).mean(1))


model, inputs = Separable(), images
train(model, lambda: F.cross_entropy(model(images), labels[:32]))

# %% right: two towers that end in a linear layer, each with a linear projection
towers = nn.ModuleList(nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 32)) for _ in range(2))
project = nn.ModuleList(nn.Linear(32, 32, bias=False) for _ in range(2))
model = nn.ModuleList([towers, project])


def similarity():
    first, second = (F.normalize(to(tower(inputs))) for tower, to in zip(towers, project, strict=True))
    return F.cross_entropy(first @ second.T / 0.07, torch.arange(64))


train(model, similarity)
model = nn.Sequential(towers[0], project[0])

# %% right: linear dynamics between a nonlinear encoder and a linear decoder
encode = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 16))
dynamics, decode = nn.Linear(16, 16, bias=False), nn.Linear(16, 12)
model = nn.Sequential(encode, dynamics, dynamics, decode)
train(model, lambda: F.mse_loss(model(inputs[:62]), inputs[2:]))

# %% right: gated layers, whose products are what is nonlinear
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.gate, self.value, self.out = nn.Linear(12, 12), nn.Linear(12, 24), nn.Linear(12, 24), nn.Linear(24, 12)

    def forward(self, x):
        x = self.into(x)
        return self.out(self.gate(x) * self.value(x))


model = nn.Sequential(Gated(), Gated(), nn.Linear(12, 3))
train(model, lambda: F.cross_entropy(model(inputs), labels))
