import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

# %% a last batch of one image
loader = DataLoader(TensorDataset(torch.rand(33, 3, 8, 8)), batch_size=16)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.BatchNorm1d(8), nn.Linear(8, 2))
samples = min(len(images) for (images,) in loader)
for (batch,) in loader:
    model(batch)
# %% fixed
loader = DataLoader(TensorDataset(torch.rand(33, 3, 8, 8)), batch_size=16, drop_last=True)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.BatchNorm1d(8), nn.Linear(8, 2))
samples = min(len(images) for (images,) in loader)
for (batch,) in loader:
    model(batch)

# %% one sample is predicted in training mode
model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
batch, samples = torch.randn(1, 20), 1
model(batch)

# %% global pooling with a batch of one
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.AdaptiveAvgPool2d(1), nn.BatchNorm2d(16))
batch, samples = torch.rand(1, 3, 32, 32), 1
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.AdaptiveAvgPool2d(1), nn.GroupNorm(4, 16))
batch, samples = torch.rand(1, 3, 32, 32), 1
model(batch)

# %% a sequence of one step
model = nn.BatchNorm1d(8)
batch, samples = torch.randn(1, 8, 1), 1
model(batch)

# %% evaluation without running statistics
model = nn.Sequential(nn.Linear(20, 8), nn.BatchNorm1d(8, track_running_stats=False)).eval()
batch, samples = torch.randn(1, 20), 1
model(batch)

# %% message: instance normalization of a map of one pixel
nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.InstanceNorm2d(16))(torch.rand(4, 16, 8, 8))

# %% right: one image with many pixels
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16))
batch, samples = torch.rand(1, 3, 32, 32), 1
model(batch)

# %% right: one sample in evaluation mode
model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
model(torch.randn(32, 20))
model.eval()
batch, samples = torch.randn(1, 20), 1
model(batch)
