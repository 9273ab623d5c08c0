import torch
from torchvision.transforms import v2

torch.manual_seed(0)
photos = [torch.rand(3, 300, 400), torch.rand(3, 480, 320)]

# Resize sets the shorter side: at least the size of the crop.
images = [v2.Resize(256)(photo) for photo in photos]
batch = torch.stack([v2.RandomCrop(224)(image) for image in images])
print(f"batch: {tuple(batch.shape)}")
