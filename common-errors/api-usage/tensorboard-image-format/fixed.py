import tempfile

import torch
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
images = torch.rand(8, 3, 32, 32)
dataformats = "NCHW"  # a batch of images, which TensorBoard shows as one grid

with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
    writer.add_image("training images", images, global_step=0, dataformats=dataformats)
    print("images written:", len(images))
