import torch
from torch import nn

torch.manual_seed(0)

# %% a column that is constant, standardized
inputs = torch.randn(64, 3)
inputs[:, 1] = 7.0
inputs = (inputs - inputs.mean(dim=0)) / inputs.std(dim=0)
targets, model = torch.randn(64, 1), nn.Linear(3, 1)
loss = nn.functional.mse_loss(model(inputs), targets)

# %% the logarithm of counts, one of which is 0
counts = torch.tensor([3.0, 0.0, 12.0, 5.0])
inputs, targets, model = torch.randn(4, 3), counts.log().unsqueeze(1), nn.Linear(3, 1)
loss = nn.functional.l1_loss(model(inputs), targets)

# %% an Inf in one pixel
inputs, targets = torch.rand(8, 3, 16, 16), torch.randint(5, (8,))
inputs[5, 0, 2, 2] = torch.inf
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(784, 5))
loss = nn.functional.cross_entropy(model(inputs), targets)

# %% right: another cause, a learning rate that is far too large
inputs, targets, model = torch.randn(64, 3), torch.randn(64, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e6)
for step in range(20):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
print(loss.item())

# %% right: padding that attention must not see
inputs, targets = torch.randn(2, 5, 8), torch.tensor([[0, 1, 2, -100, -100], [3, 3, 1, 0, -100]])
model = nn.TransformerEncoderLayer(8, 2, batch_first=True)
loss = nn.functional.cross_entropy(model(inputs, src_key_padding_mask=targets == -100).transpose(1, 2), targets)
