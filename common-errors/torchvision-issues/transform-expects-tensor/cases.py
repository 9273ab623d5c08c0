import numpy as np
import torch
from PIL import Image
from torchvision import transforms
from torchvision.transforms import v2

photo = Image.new("RGB", (64, 48))
mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

# %% Normalize of v2 without conversion
steps, image = [v2.Resize(32), v2.Normalize(mean, std)], photo
v2.Compose(steps)(image)
# %% fixed
steps, image = [v2.Resize(32), v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std)], photo
v2.Compose(steps)(image)

# %% integers
steps, image = [transforms.PILToTensor(), transforms.Normalize(mean, std)], photo
transforms.Compose(steps)(image)
# %% fixed
steps, image = [transforms.PILToTensor(), v2.ToDtype(torch.float32, scale=True), transforms.Normalize(mean, std)], photo
transforms.Compose(steps)(image)

# %% an array of OpenCV
steps, image = [transforms.Normalize(mean, std)], np.zeros((48, 64, 3), dtype=np.float32)
transforms.Compose(steps)(image)

# %% crops that are a tuple
steps, image = [transforms.FiveCrop(32), transforms.Normalize(mean, std)], photo
transforms.Compose(steps)(image)

# %% erasing before the conversion
steps, image = [transforms.RandomErasing(p=1.0), transforms.ToTensor()], photo
transforms.Compose(steps)(image)

# %% ConvertImageDtype without PILToTensor
steps, image = [transforms.ConvertImageDtype(torch.float32)], photo
transforms.Compose(steps)(image)
# %% fixed
steps, image = [transforms.PILToTensor(), transforms.ConvertImageDtype(torch.float32)], photo
transforms.Compose(steps)(image)

# %% ToPILImage of a PIL image
steps, image = [transforms.ToPILImage(), transforms.ToTensor()], photo
transforms.Compose(steps)(image)

# %% message: a grayscale image without channel
transforms.Normalize([0.5], [0.5])(torch.rand(48, 64))
# %% fixed
transforms.Normalize([0.5], [0.5])(torch.rand(48, 64).unsqueeze(0))

# %% message: the whole sample
sample = transforms.ToTensor()(photo), 3
transforms.Normalize(mean, std)(sample)

# %% message: a label as an image
transforms.Normalize([0.5], [0.5])(7)

# %% message: a PIL image moved to the device
batch = photo.to("cpu")

# %% right: an array through ToTensor, a tensor through Resize
steps, image = [transforms.ToTensor(), transforms.Resize(32), transforms.Normalize(mean, std)], np.zeros((48, 64, 3))
transforms.Compose(steps)(image)

# %% right: v2 with scaled floats
steps, image = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std), v2.ToPureTensor()], photo
v2.Compose(steps)(image)
