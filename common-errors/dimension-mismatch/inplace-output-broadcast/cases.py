import torch
from PIL import Image
from torch import nn
from torchvision import transforms
from torchvision.transforms import functional as TF

torch.manual_seed(0)

# %% a gray photo in the transform of a pretrained model
image = Image.new("L", (32, 32))
normalize = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
call = lambda: normalize(image)
call()
# %% fixed
image = Image.new("L", (32, 32)).convert("RGB")
normalize = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
call = lambda: normalize(image)
call()

# %% a batch of gray images
images = torch.rand(8, 1, 28, 28)
call = lambda: TF.normalize(images, [0.5, 0.5, 0.5], [0.5, 0.5, 0.5])
call()
# %% fixed
images = torch.rand(8, 1, 28, 28)
call = lambda: TF.normalize(images, (0.5,), (0.5,))
call()

# %% a sum of losses that were not reduced
total = torch.zeros(1)
losses = nn.functional.mse_loss(torch.rand(8), torch.rand(8), reduction="none")
call = lambda: total.add_(losses)
call()

# %% a scalar that collects a batch
total = torch.tensor(0.0)
call = lambda: total.__iadd__(torch.rand(4, 3))
call()

# %% a bias on the left
bias, features = torch.zeros(64), torch.rand(32, 64)
call = lambda: bias.add_(features)
call()

# %% message: a moving average of another shape
average = torch.zeros(10, 1)
average *= torch.rand(10, 5)

# %% message: on meta
with torch.device("meta"):
    torch.zeros(10).add_(torch.zeros(32, 10))

# %% message: a product that is added
scores = torch.zeros(32, 1)
scores.addmm_(torch.rand(32, 8), torch.rand(8, 4))

# %% right: the smaller tensor is on the right
features, bias = torch.rand(32, 64), torch.zeros(64)
call = lambda: features.add_(bias).mul_(torch.tensor(0.5))
call()

# %% right: three means for three channels
call = lambda: TF.normalize(torch.rand(3, 28, 28), [0.5, 0.5, 0.5], [0.5, 0.5, 0.5])
call()
