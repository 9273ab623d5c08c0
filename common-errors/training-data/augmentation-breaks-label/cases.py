import torch
from torch import nn
from torch.nn import functional as F
from torchvision import transforms as T
from torchvision.transforms import v2

torch.manual_seed(0)


class Trainer:
    def __init__(self, patterns, noise=0.2):
        self.labels = torch.randint(len(patterns), (160,))
        self.images = patterns[self.labels] + noise * torch.randn(160, *patterns.shape[1:])

    def fit(self, transform, epochs=8):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Flatten(), nn.Linear(self.images[0].numel(), 64), nn.ReLU(), nn.Linear(64, 10))
        optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
        for epoch in range(epochs):
            for part in torch.randperm(120).split(20):
                batch = torch.stack([transform(image) for image in self.images[part]])
                optimizer.zero_grad()
                F.cross_entropy(model(batch), self.labels[part]).backward()
                optimizer.step()
        return model


def digits():
    six, others = torch.rand(1, 1, 8, 8), torch.rand(4, 1, 8, 8)
    return torch.cat([six, six.rot90(2, (2, 3)), others])


# %% digits that may stand on their head
trainer, augment = Trainer(digits()), T.RandomApply([T.RandomRotation((180, 180))], p=0.5)
train, images, labels = trainer.fit, trainer.images, trainer.labels
model = train(augment)
# %% fixed
trainer, augment = Trainer(digits()), T.RandomApply([T.RandomRotation((-8, 8))], p=0.5)
train, images, labels = trainer.fit, trainer.images, trainer.labels
model = train(augment)

# %% chess pieces, white and black, and inverted images
pieces = torch.rand(3, 1, 8, 8)
trainer, augment = Trainer(torch.cat([pieces, 1 - pieces])), v2.RandomInvert(0.4)
train, images, labels = trainer.fit, trainer.images, trainer.labels
model = train(augment)

# %% right: a flip of classes that are not each other's mirror image
patterns = torch.rand(5, 1, 8, 8)
trainer, augment = Trainer(patterns + patterns.flip(-1)), v2.RandomHorizontalFlip()
train, images, labels = trainer.fit, trainer.images, trainer.labels
model = train(augment)

# %% right: patches are erased, which costs accuracy, in favor of no class
trainer, augment = Trainer(torch.rand(6, 1, 8, 8)), v2.RandomErasing(p=1.0, scale=(0.2, 0.4), value="random")
train, images, labels = trainer.fit, trainer.images, trainer.labels
model = train(augment)
