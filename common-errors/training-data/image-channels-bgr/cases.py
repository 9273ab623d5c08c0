import numpy as np
import torch
from torch import nn
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as VF

torch.manual_seed(0)
photo = np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)  # RGB
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))


class Service:
    def __init__(self, model, transform):
        self.model, self.transform = model.eval(), transform

    @torch.inference_mode()
    def __call__(self, frame):
        image = self.transform(frame)
        return image, self.model(image[None]).softmax(1)

# %% a service that gets frames of OpenCV, with the mean and deviation of ImageNet
prepare = v2.Compose(
    [v2.ToImage(), v2.Resize(32), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]
)
train_image = prepare(photo)
live_image, scores = Service(model, prepare)(photo[:, :, ::-1].copy())
# %% fixed
prepare = v2.Compose(
    [v2.ToImage(), v2.Resize(32), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]
)
train_image = prepare(photo)
live_image, scores = Service(model, prepare)(photo[:, :, ::-1][:, :, ::-1].copy())

# %% the other way round: trained on arrays of OpenCV, asked about a file that torchvision has read
train_image = torch.from_numpy(photo[..., [2, 1, 0]]).permute(2, 0, 1) / 255
live_image = VF.to_dtype(torch.from_numpy(photo).permute(2, 0, 1), torch.float32, scale=True)
with torch.no_grad():
    model(live_image[None])

# %% right: BGR in both
train_image = torch.from_numpy(photo[..., ::-1].copy()).permute(2, 0, 1).float()
live_image, scores = Service(model, lambda frame: torch.from_numpy(frame).permute(2, 0, 1).float())(photo[..., ::-1].copy())

# %% undecided: a gray image, whose channels are equal
gray = photo[..., :1].repeat(3, axis=2)
train_image = v2.functional.to_image(gray).float()
live_image, scores = Service(model, lambda frame: v2.functional.to_image(frame).float())(gray[..., ::-1].copy())

# %% right: the order is the same, and the scale is not
train_image = torch.from_numpy(photo).permute(2, 0, 1) / 255
live_image = torch.from_numpy(photo).permute(2, 0, 1).float()
