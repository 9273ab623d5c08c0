import torch
import torchvision.transforms as T
from torch import nn
from torch.nn import functional as F
from torchvision.transforms import v2

torch.manual_seed(0)
photos = torch.randint(256, (96, 3, 28, 28), dtype=torch.uint8)
labels = torch.randint(10, (96,))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.head = nn.Conv2d(3, 8, 3, padding=1), nn.Linear(8, 10)

    def forward(self, images):
        return self.head(F.adaptive_avg_pool2d(F.silu(self.stem(images)), 1).flatten(1))


def fit(model, prepare, steps=6):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for part in torch.arange(96).split(16)[:steps]:
        batch = prepare(photos[part])
        optimizer.zero_grad()
        F.cross_entropy(model(batch), labels[part]).backward()
        optimizer.step()
    return batch

# %% float() in the training loop, and a network of linear layers
model = nn.Sequential(nn.Flatten(), nn.Linear(2352, 32), nn.ReLU(), nn.Linear(32, 10))
batch = fit(model, lambda images: images.float())
# %% fixed
model = nn.Sequential(nn.Flatten(), nn.Linear(2352, 32), nn.ReLU(), nn.Linear(32, 10))
batch = fit(model, v2.ToDtype(torch.float32, scale=True))

# %% PILToTensor instead of ToTensor, in a network with one convolution
to_tensor = T.Compose([T.ToPILImage(), T.RandomHorizontalFlip(), T.PILToTensor(), T.ConvertImageDtype(torch.uint8)])
model = Network()
batch = fit(model, lambda images: torch.stack([to_tensor(image) for image in images]).to(torch.float32))

# %% watched: Normalize follows, in float64, and nothing is trained
transform = v2.Compose([v2.ToDtype(torch.float64), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
with torch.inference_mode():
    for image in photos[:8]:
        nn.Conv2d(3, 4, 3).double()(transform(image)[None])

# %% watched: transforms, which are modules, prepare all images before the training
prepare = v2.Compose([v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32)])
photos = torch.stack([prepare(photo) for photo in photos])
batch = fit(Network(), lambda images: images)

# %% right: the model divides by 255 itself
class Scaled(Network):
    def forward(self, images):
        return super().forward(images / 127.5 - 1)


model = Scaled()
batch = fit(model, lambda images: images.float())

# %% right: a mean and deviation that are meant for 0 to 255
model = Network()
batch = fit(model, v2.Compose([v2.ToDtype(torch.float32), v2.Normalize([127.5] * 3, [73.9] * 3)]))

# %% right: batch normalization in front
model = nn.Sequential(nn.BatchNorm2d(3), Network())
batch = fit(model, lambda images: images.float())

# %% right: bytes of a text, as ids
model = nn.Sequential(nn.Flatten(), nn.Embedding(256, 8), nn.Flatten(), nn.Linear(8 * 2352, 10))
batch = fit(model, lambda images: images.long(), steps=4)

# %% right: the scaling and the normalization are the weights of a first convolution, so that an exported model takes pixels
scaling = nn.Conv2d(3, 3, 1, groups=3)
scaling.weight.data, scaling.bias.data = torch.full((3, 1, 1, 1), 1 / (255 * 0.225)), torch.full((3,), -2.0)
model = nn.Sequential(scaling.requires_grad_(False), Network())
batch = fit(model, lambda images: images.float())
