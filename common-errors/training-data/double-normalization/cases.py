import torch
import torchvision.transforms as T
from torch import nn
from torch.utils.data import DataLoader
from torchvision.transforms import v2

torch.manual_seed(0)
photos = torch.randint(256, (64, 32, 32, 3), dtype=torch.uint8).numpy()
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
network = nn.Sequential(nn.Conv2d(3, 8, 5), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))

# %% ToTensor has divided by 255, and the training step does it again
dataset = [(T.ToTensor()(photo), number % 4) for number, photo in enumerate(photos)]
for images, target in DataLoader(dataset, 16):
    batch = images.float() / 255.0
    nn.functional.cross_entropy(network(batch), target).backward()
# %% fixed
dataset = [(T.ToTensor()(photo), number % 4) for number, photo in enumerate(photos)]
for batch, target in DataLoader(dataset, 16):
    nn.functional.cross_entropy(network(batch), target).backward()

# %% the dataset normalizes, and so does the model
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.preprocess = v2.Normalize(*IMAGENET)
        self.network = network

    def forward(self, images):
        return self.network(self.preprocess(images))


transform = T.Compose([T.ToTensor(), T.Normalize(*IMAGENET)])
loader, model = DataLoader([transform(photo) for photo in photos], 16), Classifier()
for images in loader:
    model(images).logsumexp(1).mean().backward()
batch = model.preprocess(images)

# %% scans of white paper are normalized twice, in the dataset and in the training step
normalize = v2.Normalize(*IMAGENET)
pages = torch.randint(180, 256, (64, 3, 32, 32), dtype=torch.uint8)
dataset = [normalize(page / 255) for page in pages]
for images in DataLoader(dataset, 16):
    batch = normalize(images)
    network(batch).logsumexp(1).mean().backward()

# %% watched: predict() normalizes images of a dataset that has done so
transform = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])
test_set = [transform(photo) for photo in photos]


def predict(image):
    with torch.inference_mode():
        return network(transform(image)[None]).argmax().item()


predictions = [predict(image) for image in test_set]

# %% right: noise is added before Normalize
augment = v2.Compose([v2.Lambda(lambda image: image + 0.5 * torch.randn_like(image)), v2.Normalize([0.5] * 3, [0.29] * 3)])
images = torch.stack([T.ToTensor()(photo) for photo in photos])
batch = torch.stack([augment(image) for image in images])
network(batch).sum().backward()

# %% right: the normalization is undone, to plot images, and done again
normalize = T.Normalize(*IMAGENET)
undo = T.Normalize([-m / s for m, s in zip(*IMAGENET)], [1 / s for s in IMAGENET[1]])
images = torch.stack([normalize(T.ToTensor()(photo)) for photo in photos])
plotted = undo(images).clamp(0, 1)
batch = torch.stack([normalize(image) for image in plotted])
network(batch).sum().backward()

# %% right: the other fault, pixels that nothing has scaled
batch = torch.from_numpy(photos[:16]).permute(0, 3, 1, 2).float()
for step in range(4):
    network(batch).sum().backward()

# %% right: dark images, from a sensor of 16 bits
batch = torch.randint(16_000, (16, 3, 32, 32)) / 65535
for step in range(4):
    network(batch).sum().backward()
