import torch
from torchvision.models import VisionTransformer
from torchvision.transforms import v2

sizes = {"patch_size": 16, "num_layers": 1, "num_heads": 2, "hidden_dim": 16, "mlp_dim": 16, "num_classes": 3}
model = VisionTransformer(image_size=64, **sizes)

# %% images of another data set
batch = torch.rand(2, 3, 32, 32)
model(batch)
# %% fixed
batch = v2.Resize((64, 64))(torch.rand(2, 3, 32, 32))
model(batch)

# %% only the shorter side was resized
batch = v2.Resize(64)(torch.rand(2, 3, 100, 200))
model(batch)
# %% fixed
batch = v2.Compose([v2.Resize(72), v2.CenterCrop(64)])(torch.rand(2, 3, 100, 200))
model(batch)

# %% channels last
images = torch.rand(2, 64, 64, 3)
batch = images
model(batch)
# %% fixed
images = torch.rand(2, 64, 64, 3)
batch = images.permute(0, 3, 1, 2)
model(batch)

# %% a narrow crop
batch = torch.rand(2, 3, 64, 48)
model(batch)
# %% fixed
batch = v2.Resize((64, 64))(torch.rand(2, 3, 64, 48))
model(batch)

# %% larger images than in training
batch = torch.rand(2, 3, 384, 384)
model(batch)
# %% fixed
batch = v2.CenterCrop(64)(v2.Resize(72)(torch.rand(2, 3, 384, 384)))
model(batch)

# %% message: patches that do not divide the image
larger = VisionTransformer(image_size=100, **sizes)

# %% right: a batch of one, of the right size
batch = torch.rand(1, 3, 64, 64)
model(batch)
