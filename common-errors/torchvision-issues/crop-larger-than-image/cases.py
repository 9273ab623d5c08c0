import torch
from torchvision import transforms
from torchvision.transforms import v2

# %% the padding of CIFAR is missing
image = torch.rand(3, 32, 32)
sizes, crop = [(32, 32)], (40, 40)
transforms.RandomCrop(40)(image)
# %% fixed
image = torch.rand(3, 32, 32)
sizes, crop = [(40, 40)], (40, 40)
v2.RandomCrop(40, pad_if_needed=True)(image)

# %% an image with the channels last
image = torch.rand(256, 256, 3)
sizes, crop = [(256, 3)], (224, 224)
v2.RandomCrop(224)(image)
# %% fixed
image = torch.rand(256, 256, 3)
sizes, crop = [(256, 256)], (224, 224)
v2.RandomCrop(224)(image.permute(2, 0, 1))

# %% width and height of the crop swapped
image = torch.rand(1, 400, 640)
sizes, crop = [(400, 640)], (600, 300)
v2.RandomCrop((600, 300))(image)
# %% fixed
image = torch.rand(1, 400, 640)
sizes, crop = [(400, 640)], (300, 600)
v2.RandomCrop((300, 600))(image)

# %% a panorama that is wide enough and too low
image = v2.functional.to_pil_image(torch.rand(3, 120, 900))
sizes, crop = [(120, 900)], (224, 224)
transforms.RandomCrop(224)(image)
# %% fixed
image = v2.functional.to_pil_image(torch.rand(3, 120, 900))
sizes, crop = [(224, 900)], (224, 224)
transforms.RandomCrop(224, pad_if_needed=True)(image)

# %% the portrait of a dataset of landscapes
image = torch.rand(3, 600, 200)
sizes, crop = [(600, 200)], (224, 224)
v2.RandomCrop(224)(image)
# %% fixed
image = v2.Resize(256)(torch.rand(3, 600, 200))
sizes, crop = [tuple(image.shape[-2:])], (224, 224)
v2.RandomCrop(224)(image)

# %% padding that does not suffice
image = torch.rand(3, 96, 96)
sizes, crop = [(104, 104)], (128, 128)
v2.RandomCrop(128, padding=4)(image)
# %% fixed
image = torch.rand(3, 96, 96)
sizes, crop = [(128, 128)], (128, 128)
v2.RandomCrop(128, pad_if_needed=True)(image)

# %% five crops of a small image
image = torch.rand(3, 200, 260)
sizes, crop = [(200, 260)], (224, 224)
v2.FiveCrop(224)(image)
# %% fixed
image = v2.Resize(224)(torch.rand(3, 200, 260))
sizes, crop = [tuple(image.shape[-2:])], (224, 224)
v2.FiveCrop(224)(image)

# %% message: ten crops, with the transforms of the first version
transforms.TenCrop((64, 64))(torch.rand(3, 50, 60))
# %% fixed
transforms.TenCrop((64, 64))(v2.Resize(64)(torch.rand(3, 50, 60)))

# %% right: a crop as large as the image
image = torch.rand(3, 224, 224)
sizes, crop = [(224, 224)], (224, 224)
v2.RandomCrop(224)(image)

# %% right: a center crop, which pads by itself
image = v2.CenterCrop(224)(torch.rand(3, 200, 260))
sizes, crop = [tuple(image.shape[-2:])], (224, 224)
v2.RandomCrop(224)(image)
