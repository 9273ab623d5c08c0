import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = torch.randn(64, 12), torch.randint(3, (64,))
images = torch.randn(32, 1, 8, 8)


def train(parameters, loss_of, steps=8, after=lambda: None):
    optimizer = torch.optim.AdamW(parameters, lr=0.01)
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        after()


# %% the loop that freezes the body freezes the hidden layer of the new head, too
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.head = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x):
        return self.head(F.relu(self.conv(x)).mean((2, 3)))


model = Tagger()
for name, parameter in model.named_parameters():
    parameter.requires_grad = name.startswith("head.2")
body = model.head
train(model.parameters(), lambda: F.cross_entropy(model(images), labels[:32]))
# %% fixed
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.head = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x):
        return self.head(F.relu(self.conv(x)).mean((2, 3)))


model = Tagger()
model.requires_grad_(False)
model.head.requires_grad_(True)
body = model.head
train(model.parameters(), lambda: F.cross_entropy(model(images), labels[:32]))

# %% a head that is frozen with its model, which was trained on something else
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
body = model[2].requires_grad_(False)
train(model.parameters(), lambda: F.cross_entropy(model(inputs), labels))

# %% watched: layers are unfrozen by an attribute, in a class, layer by layer
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(12, 2, 24, batch_first=True) for _ in range(2))
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


model = Encoder()
model.blocks.requires_grad_(False)
for epoch in range(2):
    model.blocks[1 - epoch].requires_grad = True
    train(model.parameters(), lambda: F.cross_entropy(model(inputs.view(16, 4, 12)), labels[:16]))

# %% watched: a model of two parts, of which the second stays as it was created
model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 3))
for parameter in model[-1].parameters():
    parameter.requires_grad = False
trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
train(trained, lambda: F.cross_entropy(model(images), labels[:32]))

# %% watched: actor and critic share a loss, and the optimizer has the actor only
actor, critic = (nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, n)) for n in (3, 1))
returns, weights = torch.randn(64), torch.randn(64)
optimizer = torch.optim.Adam(actor.parameters())
for step in range(20):
    policy_loss = (weights * F.cross_entropy(actor(inputs), labels, reduction="none")).mean()
    value_loss = F.mse_loss(critic(inputs).squeeze(1), returns)
    optimizer.zero_grad()
    (policy_loss + 0.5 * value_loss).backward()
    optimizer.step()

# %% right: a fixed random network weighs the samples, and all weights are penalized
body, weigher = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 3)), nn.Sequential(nn.Linear(12, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(body.parameters())
for step in range(20):
    losses = F.cross_entropy(body(inputs), labels, reduction="none")
    penalty = sum(p.square().sum() for part in (body, weigher) for p in part.parameters())
    optimizer.zero_grad()
    ((weigher(inputs).squeeze(1) * losses).mean() + 1e-4 * penalty).backward()
    optimizer.step()

# %% right: a frozen backbone, whose parameters the optimizer has, too
backbone, body = nn.Sequential(nn.Linear(12, 64), nn.ReLU()), nn.Linear(64, 3)
model = nn.Sequential(backbone.requires_grad_(False), body)
train(model.parameters(), lambda: F.cross_entropy(model(inputs), labels))

# %% right: an EMA teacher inside of the model
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.student = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64))
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)

    def forward(self, x):
        return F.mse_loss(self.student(x + 0.1 * torch.randn_like(x)), self.teacher(x))

    @torch.no_grad()
    def follow(self):
        for old, new in zip(self.teacher.parameters(), self.student.parameters(), strict=True):
            old.lerp_(new, 0.05)


model = Pair()
body = model.student
train(model.parameters(), lambda: model(inputs), after=model.follow)

# %% right: a random network that another one has to predict
target, body = nn.Linear(12, 16).requires_grad_(False), nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 16))
train(body.parameters(), lambda: F.mse_loss(body(inputs), target(inputs)))

# %% right: adapters on a frozen model
class Adapted(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.down, self.up = layer.requires_grad_(False), nn.Linear(12, 2), nn.Linear(2, 12)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


model = nn.Sequential(Adapted(nn.Linear(12, 12)), nn.GELU(), Adapted(nn.Linear(12, 12)), nn.GELU(), nn.Linear(12, 3))
body = nn.ModuleList([model[0].down, model[0].up, model[2].down, model[2].up, model[4]])
train(model.parameters(), lambda: F.cross_entropy(model(inputs), labels))

# %% right: a layer that has an attribute of this name for itself
class Positions(nn.Module):
    def __init__(self, requires_grad=True):
        super().__init__()
        self.requires_grad, self.table = requires_grad, nn.Parameter(torch.zeros(12), requires_grad)

    def forward(self, x):
        return x + self.table


model = nn.Sequential(Positions(), nn.Linear(12, 3))
body = model
train(model.parameters(), lambda: F.cross_entropy(model(inputs), labels))

# %% right: a perceptual loss, whose network is frozen as a whole, beside the generator
class WithLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.judge = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3)).requires_grad_(False)
        self.paint = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 16, 3, padding=1), nn.Conv2d(16, 1, 1))

    def forward(self, x):
        return F.mse_loss(self.judge(self.paint(x)), self.judge(x))


model = WithLoss()
body = model.paint
train(model.parameters(), lambda: model(images), steps=14)

# %% right: blocks whose own attribute says whether their input gets a gradient
class Block(nn.Module):
    def __init__(self, requires_grad=False):
        super().__init__()
        self.requires_grad, self.layer = requires_grad, nn.Linear(12, 12)

    def forward(self, x):
        return self.layer(x if self.requires_grad else x.detach())


model = nn.Sequential(Block(), nn.ReLU(), nn.Linear(12, 3))
body = model
train(model.parameters(), lambda: F.cross_entropy(model(inputs), labels))
