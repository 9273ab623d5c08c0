import torch
import torchvision.transforms as T
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader
from torchvision.transforms import v2

torch.manual_seed(0)
photos = torch.randint(256, (96, 20, 20, 3), dtype=torch.uint8).numpy()
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


class Trainer:
    def __init__(self, model, train_transform, val_transform):
        self.model, self.optimizer = model, torch.optim.SGD(model.parameters(), lr=1e-3)
        samples = [(train_transform(photo), number % 4) for number, photo in enumerate(photos[:64])]
        others = [(val_transform(photo), number % 4) for number, photo in enumerate(photos[64:])]
        self.train_loader, self.val_loader = DataLoader(samples, 16), DataLoader(others, 8)

    def fit(self):
        self.model.train()
        for batch, target in self.train_loader:
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(batch), target).backward()
            self.optimizer.step()
        self.model.eval()
        with torch.no_grad():
            for val_batch, target in self.val_loader:
                F.cross_entropy(self.model(val_batch), target)
        return batch, val_batch


def network():
    return nn.Sequential(nn.Conv2d(3, 8, 5), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))

# %% training normalizes, with augmentation, and validation only scales
train_transform = T.Compose([T.ToPILImage(), T.RandomCrop(18), T.ToTensor(), T.Normalize(*IMAGENET)])
val_transform = T.Compose([T.ToPILImage(), T.CenterCrop(18), T.ToTensor()])
batch, val_batch = Trainer(network(), train_transform, val_transform).fit()
# %% fixed
train_transform = T.Compose([T.ToPILImage(), T.RandomCrop(18), T.ToTensor(), T.Normalize(*IMAGENET)])
val_transform = T.Compose([T.ToPILImage(), T.CenterCrop(18), T.ToTensor(), T.Normalize(*IMAGENET)])
batch, val_batch = Trainer(network(), train_transform, val_transform).fit()

# %% another mean and deviation in the validation
first = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])
second = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(*IMAGENET)])
batch, val_batch = Trainer(network(), first, second).fit()

# %% watched: a test on gray images, in a function, that forgets to divide by 255
gray = torch.randint(256, (64, 1, 28, 28), dtype=torch.uint8)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
for part in gray.split(16):
    F.mse_loss(model(part / 255), torch.zeros(16, 10)).backward()
with torch.inference_mode():
    outputs = [model(part.to(torch.float32)) for part in gray.split(8)]

# %% right: the same scale, and random colors in the training
train_transform = T.Compose([T.ToPILImage(), T.ColorJitter(0.1, 0.1), T.ToTensor(), T.Normalize(*IMAGENET)])
val_transform = T.Compose([T.ToTensor(), T.Normalize(*IMAGENET)])
batch, val_batch = Trainer(network(), train_transform, val_transform).fit()

# %% right: a model that scales images of both kinds itself
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 4))

    def forward(self, images):
        return self.body(images / 255)


convert = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32)])
batch, val_batch = Trainer(Scaled(), v2.Compose([convert, v2.RandomHorizontalFlip()]), convert).fit()

# %% right: two models, each with its own preparation
scale = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
batch, val_batch = Trainer(network(), second := v2.Compose([scale, v2.Normalize(*IMAGENET)]), second).fit()
batch, val_batch = Trainer(network(), scale, scale).fit()

# %% right: slices of scans, each scan divided by its own deviation
scans = [torch.randint(10, 200 + 8 * number, (48, 1, 32, 32)).float() for number in range(4)]
scans = [(scan - scan.mean()) / scan.std() for scan in scans]
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
for batch in torch.cat(scans[:2]).split(12):
    F.binary_cross_entropy_with_logits(model(batch), (batch > 0).float()).backward()
model.eval()
with torch.no_grad():
    for val_batch in torch.cat(scans[2:]).split(12):
        model(val_batch)

# %% right: how much contrast the trained model needs, the weakest first
images = torch.randint(256, (96, 3, 18, 18), dtype=torch.uint8) / 255
normalize, model = v2.Normalize(*IMAGENET), network()
for batch in normalize(images).split(16):
    F.cross_entropy(model(batch), torch.randint(4, (16,))).backward()
model.eval()
with torch.inference_mode():
    for contrast in (0.4, 0.7, 1.0):
        for val_batch in normalize(images * contrast).split(16):
            model(val_batch)
