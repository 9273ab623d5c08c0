import torch
import torchvision
from torch import nn

torch.manual_seed(0)

# %% images from 0 to 255
batch = torch.randint(256, (4, 3, 32, 32)).float()
model = torchvision.models.resnet18(num_classes=10)
loss = nn.functional.cross_entropy(model(batch), torch.tensor([0, 3, 5, 9]))
# %% fixed
photos = torch.randint(256, (4, 3, 32, 32)).float() / 255
batch = (photos - photos.mean(dim=(0, 2, 3), keepdim=True)) / photos.std(dim=(0, 2, 3), keepdim=True)
model = torchvision.models.resnet18(num_classes=10)
loss = nn.functional.cross_entropy(model(batch), torch.tensor([0, 3, 5, 9]))

# %% incomes in a table
ages, incomes = 20 + 50 * torch.rand(64), 20_000 + 80_000 * torch.rand(64)
batch = torch.stack([ages, incomes], dim=1)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
loss = model(batch).square().mean()

# %% returns of a stock, all tiny
batch = 0.01 * torch.randn(16, 50, 3)
model = nn.Sequential(nn.LSTM(3, 8, batch_first=True))
outputs, _ = model(batch)

# %% right: batch normalization in front
batch = torch.stack([20 + 50 * torch.rand(64), 20_000 + 80_000 * torch.rand(64)], dim=1)
model = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
loss = model(batch).square().mean()

# %% right: token ids go through an embedding
batch = torch.randint(30_000, (8, 12))
model = nn.Sequential(nn.Embedding(30_000, 16), nn.Linear(16, 2))
logits = model(batch)

# %% right: digits between 0 and 1, with a dark border
batch = torch.rand(32, 1, 28, 28)
batch[..., :4] = 0
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
logits = model(batch)

# %% right: rare categories
batch = nn.functional.one_hot(torch.randint(50, (200,)), 50).float()
model = nn.Linear(50, 2)
logits = model(batch)
