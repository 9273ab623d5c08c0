import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

# Without a GPU, FakeTensorMode replaces it: it tracks shapes and devices but computes no numbers.
device = "cuda"

# %% images that were left behind
with FakeTensorMode():
    model = nn.Conv2d(3, 8, 3, device=device)
    images = torch.rand(4, 3, 32, 32)
    call = lambda: model(images)
    call()
# %% fixed
with FakeTensorMode():
    model = nn.Conv2d(3, 8, 3, device=device)
    images = torch.rand(4, 3, 32, 32)
    images = images.to(device)
    call = lambda: model(images)
    call()

# %% a kernel that is not registered
class Blur(nn.Module):
    def forward(self, images):
        return nn.functional.conv2d(images, torch.ones(3, 1, 3, 3) / 9, groups=3)


with FakeTensorMode():
    model, images = Blur(), torch.rand(4, 3, 32, 32, device=device)
    call = lambda: model(images)
    call()

# %% layers in a Python list
class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Conv1d(8, 8, 3), nn.Conv1d(8, 8, 3)]

    def forward(self, signal):
        for layer in self.layers:
            signal = layer(signal)
        return signal


with FakeTensorMode():
    model, signal = Stack().to(device), torch.rand(4, 8, 100, device=device)
    call = lambda: model(signal)
    call()

# %% a decoder that was added after the encoder was moved
with FakeTensorMode():
    model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, device=device))
    model.append(nn.ConvTranspose2d(8, 3, 3, stride=2))
    images = torch.rand(4, 3, 32, 32, device=device)
    call = lambda: model(images)
    call()

# %% two GPUs
with FakeTensorMode():
    model, images = nn.Conv3d(1, 2, 3, device="cuda:0"), torch.rand(1, 1, 8, 8, 8, device="cuda:1")
    call = lambda: model(images)
    call()

# %% right: a model on two devices
with FakeTensorMode():
    model = nn.Sequential(nn.Conv2d(3, 8, 3, device="cuda:0"), nn.Conv2d(8, 8, 3))
    images = torch.rand(4, 3, 32, 32, device="cuda:0")
    call = lambda: model[1](model[0](images).cpu())
    call()

# %% right: a convolution and a linear layer on the GPU
with FakeTensorMode():
    model = nn.Sequential(nn.Conv2d(3, 8, 3, device="cuda"), nn.Flatten(), nn.Linear(8, 2, device="cuda"))
    images = torch.rand(4, 3, 3, 3, device="cuda")
    call = lambda: model(images)
    call()

# %% right: a convolution and a number on the CPU
model = nn.Conv2d(3, 8, 3)
images = torch.rand(4, 3, 32, 32) * torch.tensor(0.5)
call = lambda: model(images)
call()
