import tempfile

import torch
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
folder = tempfile.TemporaryDirectory()
writer = SummaryWriter(folder.name)

# %% a mask without channels
images, dataformats = torch.rand(32, 32), "CHW"
writer.add_image("mask", images)
# %% fixed
images, dataformats = torch.rand(32, 32), "HW"
writer.add_image("mask", images, dataformats="HW")
writer.close()

# %% one image for the method of batches
images, dataformats = torch.rand(3, 32, 32), "NCHW"
writer.add_images("sample", images)
# %% fixed
images, dataformats = torch.rand(3, 32, 32), "CHW"
writer.add_image("sample", images)
writer.close()

# %% a batch of gray images
images, dataformats = torch.rand(8, 1, 28, 28), "CHW"
writer.add_image("digits", images)
# %% fixed
images, dataformats = torch.rand(8, 1, 28, 28), "NCHW"
writer.add_images("digits", images)
writer.close()

# %% masks without channels
images, dataformats = torch.rand(8, 28, 28), "NCHW"
writer.add_images("masks", images)
# %% fixed
images, dataformats = torch.rand(8, 28, 28), "NCHW"
images = images.unsqueeze(1)
writer.add_images("masks", images)
writer.close()

# %% a video as images
images, dataformats = torch.rand(2, 5, 3, 16, 16), "NCHW"
writer.add_images("frames", images)
# %% fixed
images, dataformats = torch.rand(2, 5, 3, 16, 16).flatten(0, 1), "NCHW"
writer.add_images("frames", images)
writer.close()

# %% message: the loss of each sample
loss = torch.rand(16)
writer.add_scalar("loss", loss, 1)
# %% fixed
loss = torch.rand(16)
writer.add_scalar("loss", loss.mean(), 1)
writer.close()

# %% message: several losses at once
writer.add_scalar("loss", {"train": 0.5, "validation": 0.7}, 1)
# %% fixed
writer.add_scalars("loss", {"train": 0.5, "validation": 0.7}, 1)
writer.close()

# %% message: a function that returns nothing
def evaluate():
    print(0.5)


writer.add_scalar("accuracy", evaluate(), 1)

# %% message: one number with the method for several
writer.add_scalars("loss", 0.5, 1)
# %% fixed
writer.add_scalar("loss", 0.5, 1)
writer.close()

# %% message: layer sizes as a list
writer.add_hparams({"layers": [64, 32]}, {"accuracy": 0.5})
# %% fixed
writer.add_hparams({"layers": str([64, 32])}, {"accuracy": 0.5})
writer.close()

# %% message: the metric without a name
writer.add_hparams({"lr": 0.1}, 0.5)
# %% fixed
writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5})
writer.close()

# %% right: one image
images, dataformats = torch.rand(3, 32, 32), "CHW"
writer.add_image("sample", images)
writer.close()

# %% right: an image as Pillow and Matplotlib store it
images, dataformats = torch.rand(32, 32, 3).numpy(), "HWC"
writer.add_image("sample", images, dataformats="HWC")
writer.close()
