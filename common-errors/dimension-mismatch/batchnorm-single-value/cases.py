import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

# %% a last batch of one image
loader = DataLoader(TensorDataset(torch.rand(33, 3, 8, 8)), batch_size=16)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.BatchNorm1d(8), nn.Linear(8, 2))
for (batch,) in loader:
    model(batch)
# %% fixed
loader = DataLoader(TensorDataset(torch.rand(33, 3, 8, 8)), batch_size=16, drop_last=True)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.BatchNorm1d(8), nn.Linear(8, 2))
for (batch,) in loader:
    model(batch)

# %% one sample is predicted in training mode
model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
batch = torch.randn(1, 20)
model(batch)

# %% global pooling with a batch of one
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.AdaptiveAvgPool2d(1), nn.BatchNorm2d(16))
batch = torch.rand(1, 3, 32, 32)
model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.AdaptiveAvgPool2d(1), nn.GroupNorm(4, 16))
batch = torch.rand(1, 3, 32, 32)
model(batch)

# %% a sequence of one step
model = nn.BatchNorm1d(8)
batch = torch.randn(1, 8, 1)
model(batch)

# %% evaluation without running statistics
model = nn.Sequential(nn.Linear(20, 8), nn.BatchNorm1d(8, track_running_stats=False)).eval()
batch = torch.randn(1, 20)
model(batch)

# %% message: instance normalization of a map of one pixel
nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.InstanceNorm2d(16))(torch.rand(4, 16, 8, 8))

# %% right: one image with many pixels
model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16))
batch = torch.rand(1, 3, 32, 32)
model(batch)

# %% right: one sample in evaluation mode
model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
model(torch.randn(32, 20))
model.eval()
batch = torch.randn(1, 20)
model(batch)

# %% right: one sequence, of which each word is a row


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, words):
        return self.norm(words.reshape(-1, 4))


model, batch = Tagger(), torch.rand(1, 10, 4)
model(batch)

# %% right: loaded statistics, and a count that was not saved
model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64)).eval()
model[1].running_mean.copy_(torch.rand(64))
batch = torch.randn(1, 20)
model(batch)

# %% right: one large photo for a segmentation network without global pooling
model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 3), nn.BatchNorm2d(4))
batch = torch.rand(1, 3, 64, 64)
model(batch)
