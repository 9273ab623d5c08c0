import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, Subset, get_worker_info
from torchvision.transforms import v2

torch.manual_seed(0)
images, labels = torch.randn(64, 1, 10, 10), torch.randint(4, (64,))


def train(loader, passes=2):
    model = nn.Sequential(nn.Flatten(), nn.LazyLinear(4))
    model(loader.dataset[0][0][None])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(passes):
        for inputs, targets in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), targets).backward()
            optimizer.step()


class Augmented(Dataset):
    """Images with a transform that draws from a generator."""

    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 64

    def __getitem__(self, index):
        return self.transform(images[index]), labels[index]


class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = torch.Generator().manual_seed(0)

    def forward(self, image):
        return image + torch.randn(image.shape, generator=self.generator)


# %% a transform with a generator of torch, behind a subset
loader = DataLoader(Subset(Augmented(v2.Compose([Noise()])), range(48)), batch_size=8, shuffle=True, num_workers=2)
train(loader)

# %% fixed
def seed_generator(worker_id):
    worker = get_worker_info()
    noise.generator = torch.Generator().manual_seed(worker.seed)


noise = Noise()
data = Subset(Augmented(v2.Compose([noise])), range(48))
loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=2, worker_init_fn=seed_generator)
train(loader)

# %% workers that stay, and flips drawn by Python's random
class Flip:
    def __init__(self):
        self.chance = random.Random(5)

    def __call__(self, image):
        return image.flip(-1) if self.chance.random() < 0.5 else image


options = {"num_workers": 2, "persistent_workers": True}
loader = DataLoader(Augmented(Flip()), batch_size=8, shuffle=True, **options)
train(loader)

# %% worker_init_fn gives a worker the same seed in each epoch
def seed_worker(worker_id):
    np.random.seed(worker_id)


loader = DataLoader(Augmented(lambda image: image * np.random.rand()), num_workers=2, worker_init_fn=seed_worker)

# %% right: global generators, which the loader seeds
def distort(image):
    return image * random.random() + np.random.rand() + torch.randn(1, 10, 10)


loader = DataLoader(Augmented(distort), batch_size=8, shuffle=True, num_workers=2)
train(loader)

# %% right: a generator for each sample
def fixed_noise(image):
    return image + torch.randn(image.shape, generator=torch.Generator().manual_seed(0))


loader = DataLoader(Augmented(fixed_noise), batch_size=8, shuffle=True, num_workers=2)
train(loader)

# %% right: the constructor used a generator, nothing does since
class Corrupted(Augmented):
    def __init__(self):
        super().__init__(nn.Identity())
        self.rng = np.random.default_rng(0)
        self.noise = self.rng.normal(size=64)


loader = DataLoader(Corrupted(), batch_size=8, shuffle=True, num_workers=2)
train(loader)

# %% right: a validation with fixed noise in the middle of an epoch, which goes on
noisy = DataLoader(Augmented(Noise()), batch_size=16, num_workers=2)
loader = DataLoader(Augmented(nn.Identity()), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(100, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step, (inputs, targets) in enumerate(loader):
    optimizer.zero_grad()
    F.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
    if step == 3:
        with torch.no_grad():
            losses = [F.cross_entropy(model(inputs), targets).item() for inputs, targets in noisy]

# %% watched: patches of one image, in a denoiser, with four workers
class Patches(Dataset):
    def __init__(self):
        self.image, self.state = torch.rand(1, 40, 40), np.random.RandomState(1)

    def __len__(self):
        return 96

    def __getitem__(self, index):
        y, x = self.state.randint(32, size=2)
        return self.image[:, y : y + 8, x : x + 8]


denoiser = nn.Conv2d(1, 1, 3, padding=1)
optimizer = torch.optim.AdamW(denoiser.parameters())
for patches in DataLoader(Patches(), batch_size=8, num_workers=4):
    optimizer.zero_grad()
    (denoiser(patches + 0.1 * torch.randn_like(patches)) - patches).square().mean().backward()
    optimizer.step()
