from contextlib import nullcontext

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torchvision.models import resnet18

# Without a GPU, FakeTensorMode replaces it: it tracks shapes and devices but computes no numbers.
with nullcontext() if torch.cuda.is_available() else FakeTensorMode():
    with torch.device("cuda"):
        model = resnet18(num_classes=10)

    # X-ray images have one channel, so replace the first layer, on the device of the others.
    model.conv1 = nn.Conv2d(1, 64, kernel_size=7, stride=2, padding=3, bias=False, device="cuda")

    images = torch.rand(4, 1, 64, 64, device="cuda")
    logits = model(images)
    print(f"logits: {tuple(logits.shape)} on {logits.device}")
