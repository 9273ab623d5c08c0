import copy

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


def pretrained(*layers):
    """As after a training: scales and statistics are no longer those of a new layer."""
    network = nn.Sequential(*layers)
    for layer in network.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            nn.init.uniform_(layer.weight, 0.5, 1.5)
            layer.running_mean.normal_()
            layer.running_var.uniform_(0.5, 2)
    return network


def train(model, batches, prepare=lambda: None):
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
    for inputs in batches:
        model.train()
        prepare()
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), torch.randint(3, (len(inputs),))).backward()
        optimizer.step()


# %% a convolutional backbone, frozen parameter by parameter
backbone = pretrained(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
for parameter in backbone.parameters():
    parameter.requires_grad = False
model = nn.Sequential(backbone, nn.Linear(8, 3))
train_epoch = lambda: train(model, torch.randn(20, 16, 3, 8, 8))
train_epoch()
# %% fixed
backbone = pretrained(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
for parameter in backbone.parameters():
    parameter.requires_grad = False
model = nn.Sequential(backbone, nn.Linear(8, 3))
train_epoch = lambda: train(model, torch.randn(20, 16, 3, 8, 8), backbone.eval)
train_epoch()

# %% a frozen teacher without eval(), for distillation
class Distillation(nn.Module):
    def __init__(self):
        super().__init__()
        self.teacher = pretrained(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)).requires_grad_(False)
        self.student = nn.Linear(6, 3)

    def forward(self, inputs):
        return self.student(inputs) + 0.1 * self.teacher(inputs)


model = Distillation()
train_epoch = lambda: train(model, 2 * torch.randn(20, 16, 6))
train_epoch()

# %% right: batch norm is trained together with the rest
model = pretrained(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
train_epoch = lambda: train(model, 2 * torch.randn(20, 16, 6))
train_epoch()

# %% right: statistics that are part of the frozen weights, by momentum 0
backbone = pretrained(nn.Linear(6, 16), nn.BatchNorm1d(16, momentum=0.0), nn.ReLU()).requires_grad_(False)
model = nn.Sequential(backbone, nn.Linear(16, 3))
train_epoch = lambda: train(model, torch.randn(20, 16, 6))
train_epoch()

# %% right: FrozenBatchNorm2d of torchvision
backbone = pretrained(nn.Conv2d(3, 8, 3), torchvision.ops.FrozenBatchNorm2d(8), nn.ReLU(), nn.Flatten()).requires_grad_(False)
model = nn.Sequential(backbone, nn.Linear(288, 3))
train_epoch = lambda: train(model, torch.randn(20, 16, 3, 8, 8))
train_epoch()

# %% right: a teacher that is a moving average of the student, with statistics of its own
model = pretrained(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
teacher = copy.deepcopy(model).requires_grad_(False)


def follow():
    teacher(2 * torch.randn(16, 6))
    for slow, fast in zip(teacher.parameters(), model.parameters(), strict=True):
        slow.data.lerp_(fast.data, 0.1)


train_epoch = lambda: train(model, 2 * torch.randn(40, 16, 6), follow)
train_epoch()

# %% right: a discriminator whose gradients are switched off while the generator is trained
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 6))
critic = pretrained(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.LeakyReLU(), nn.Linear(16, 1))
updates = [torch.optim.Adam(part.parameters()) for part in (model, critic)]


def train_epoch():
    for step in range(20):
        critic.requires_grad_(False)
        updates[0].zero_grad()
        (-critic(model(torch.randn(16, 4))).mean()).backward()
        updates[0].step()
        critic.requires_grad_(True)
        updates[1].zero_grad()
        (critic(model(torch.randn(16, 4)).detach()).mean() - critic(torch.randn(16, 6)).mean()).backward()
        updates[1].step()


train_epoch()

# %% right: a target network inside the model, a moving average of the network
class Target(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = pretrained(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def forward(self, inputs):
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.online.parameters(), strict=True):
                slow.lerp_(fast, 0.01)
            towards = self.target(inputs)
        return self.online(inputs) + 0.1 * towards


model = Target()
train_epoch = lambda: train(model, 2 * torch.randn(40, 16, 6))
train_epoch()

# %% watched: a perceptual loss in a class, its network left in training mode
class Trainer:
    def __init__(self):
        self.features = pretrained(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).requires_grad_(False)
        self.model = nn.Conv2d(1, 1, 3, padding=1)
        self.optimizer = torch.optim.AdamW(self.model.parameters())

    def step(self, images):
        self.optimizer.zero_grad()
        nn.L1Loss()(self.features(self.model(images)), self.features(images)).backward()
        self.optimizer.step()


trainer = Trainer()
for images in 3 * torch.rand(40, 8, 1, 10, 10):
    trainer.step(images)

# %% watched: features without gradient tracking, a head with an LSTM
frames = pretrained(nn.Conv1d(2, 6, 3, padding=1), nn.BatchNorm1d(6), nn.Tanh()).requires_grad_(False)
head = nn.LSTM(6, 3, batch_first=True)
optimizer = torch.optim.RMSprop(head.parameters())
for signals in 5 + torch.randn(40, 8, 2, 20):
    with torch.no_grad():
        features = frames(signals)
    loss = head(features.mT)[0][:, -1].square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: a MobileNet, whose batch norm layers have a momentum of 0.01
model = torchvision.models.mobilenet_v3_small(num_classes=3)
pretrained(model.features).requires_grad_(False)
train(model, torch.randn(20, 4, 3, 32, 32))
