import torch
from torch import nn

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)

# %% values written to positions of a tensor
memory, slots = torch.zeros(10), torch.tensor([3, 3, 7])
train_step = lambda: memory.put_(slots, torch.rand(3))
train_step()

# %% unpooling of a signal
class Autoencoder(nn.Module):
    def forward(self, signal):
        pooled, indices = nn.functional.max_pool1d(signal, 2, return_indices=True)
        return nn.functional.max_unpool1d(pooled, indices, 2)


model = Autoencoder()
train_step = lambda: model(torch.randn(4, 3, 16, requires_grad=True)).sum().backward()
train_step()

# %% message: unpooling of a volume, in a class that trains
class Trainer:
    def fit(self, volumes):
        pooled, indices = nn.functional.max_pool3d(volumes, 2, return_indices=True)
        return nn.MaxUnpool3d(2)(pooled, indices)


Trainer().fit(torch.rand(1, 2, 8, 8, 8))

# %% message: put_ of a single value
torch.zeros(1).put_(torch.tensor([0]), torch.tensor([1.0]))

# %% message: unpooling of an image without a batch
pooled, indices = nn.functional.max_pool2d(torch.rand(3, 8, 8), 2, return_indices=True)
nn.functional.max_unpool2d(pooled, indices, 2)

# %% right: convolution, bilinear upsampling and cumsum on the CPU
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Upsample(scale_factor=2, mode="bilinear"))
train_step = lambda: model(torch.rand(2, 3, 16, 16)).cumsum(dim=0).sum().backward()
train_step()

# %% right: the same operation, and determinism is off
torch.use_deterministic_algorithms(False)
memory = torch.zeros(10)
train_step = lambda: memory.put_(torch.tensor([3]), torch.rand(1))
train_step()
