import torch
from torchvision.transforms import v2

torch.manual_seed(0)
photos = [torch.rand(3, 300, 400), torch.rand(3, 480, 320)]

# The size of an earlier model, which took images of 160 pixels.
images = [v2.Resize(192)(photo) for photo in photos]
batch = torch.stack([v2.RandomCrop(224)(image) for image in images])  # error
print(f"batch: {tuple(batch.shape)}")
