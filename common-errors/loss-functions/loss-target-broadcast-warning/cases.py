import torch
from torch import nn

torch.manual_seed(0)

# %% targets from one column of a table, selected with a list
table = torch.randn(32, 5)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
predictions, targets = model(table[:, :4]).squeeze(1), table[:, [4]]
loss = nn.functional.l1_loss(predictions, targets)
# %% fixed
table = torch.randn(32, 5)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
predictions, target = model(table[:, :4]).squeeze(1), table[:, [4]]
targets = target.squeeze(1)
loss = nn.functional.l1_loss(predictions, targets)

# %% masks without a channel dimension
model = nn.Conv2d(3, 1, 3, padding=1)
images, masks = torch.randn(4, 3, 16, 16), torch.rand(4, 16, 16)
predictions, targets = model(images), masks
loss = nn.HuberLoss()(predictions, targets)
# %% fixed
model = nn.Conv2d(3, 1, 3, padding=1)
images, target = torch.randn(4, 3, 16, 16), torch.rand(4, 16, 16)
predictions, targets = model(images), target.unsqueeze(1)
loss = nn.HuberLoss()(predictions, targets)

# %% the Q-values of all actions against one target
rewards, actions = torch.randn(64, 1), torch.randint(4, (64, 1))
q_values = nn.Linear(8, 4)(torch.randn(64, 8))
predictions, targets = q_values, rewards
loss = nn.functional.smooth_l1_loss(predictions, targets)
# %% fixed
rewards, actions = torch.randn(64, 1), torch.randint(4, (64, 1))
q_values = nn.Linear(8, 4)(torch.randn(64, 8))
predictions, targets = q_values.gather(1, actions), rewards
loss = nn.functional.smooth_l1_loss(predictions, targets)

# %% a head with one output for four targets
model = nn.Linear(8, 1)
predictions, targets = model(torch.randn(16, 8)), torch.randn(16, 4)
loss = nn.MSELoss()(predictions, targets)

# %% message: one target for all, as in a least-squares GAN
judged = nn.Linear(8, 1)(torch.randn(64, 8))
loss = nn.functional.mse_loss(judged, torch.ones(1))
# %% fixed
predictions = nn.Linear(8, 1)(torch.randn(64, 8))
target = torch.ones(1)
loss = nn.functional.mse_loss(predictions, target.expand_as(predictions))

# %% message: a batch of one sample
loss = nn.functional.mse_loss(nn.Linear(8, 1)(torch.randn(1, 8)), torch.tensor([3.0]))
# %% fixed
predictions, target = nn.Linear(8, 1)(torch.randn(1, 8)), torch.tensor([3.0])
loss = nn.functional.mse_loss(predictions, target.reshape(predictions.shape))

# %% message: a batch dimension on one side only
reconstruction, photo = torch.rand(1, 3, 32, 32), torch.rand(3, 32, 32)
loss = nn.functional.mse_loss(reconstruction, photo)
# %% fixed
predictions, target = torch.rand(1, 3, 32, 32), torch.rand(3, 32, 32)
loss = nn.functional.mse_loss(predictions, target.reshape(predictions.shape))

# %% message: the mean of the predictions
predictions = nn.Linear(8, 1)(torch.randn(16, 8)).mean()
loss = nn.functional.mse_loss(predictions, torch.randn(16))

# %% message: a row and a column
loss = nn.functional.mse_loss(torch.randn(1, 12), torch.randn(12, 1))
# %% fixed
predictions, target = torch.randn(1, 12), torch.randn(12, 1)
loss = nn.functional.mse_loss(predictions, target.reshape(predictions.shape))

# %% message: the last dimension of a sequence model
loss = nn.functional.mse_loss(torch.randn(8, 8, 1), torch.randn(8, 8))
# %% fixed
predictions, target = torch.randn(8, 8, 1), torch.randn(8, 8)
loss = nn.functional.mse_loss(predictions, target.reshape(predictions.shape))

# %% message: a column of predictions, and the table of another split
loss = nn.functional.mse_loss(nn.Linear(8, 1)(torch.randn(48, 8)), torch.randn(16))

# %% right: one target for all, expanded
predictions = nn.Linear(8, 1)(torch.randn(64, 8))
targets = torch.full_like(predictions, 1.0)
loss = nn.functional.mse_loss(predictions, targets)

# %% right: columns on both sides
predictions, targets = nn.Linear(8, 1)(torch.randn(32, 8)), torch.randn(32, 5)[:, [4]]
loss = nn.functional.mse_loss(predictions, targets)
