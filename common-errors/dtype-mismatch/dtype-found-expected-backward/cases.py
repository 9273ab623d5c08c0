import torch
from torch import nn

torch.manual_seed(0)

# %% labels of BCELoss in int64
output, target = torch.rand(4), torch.ones(4, dtype=torch.long)
nn.BCELoss()(output, target)
# %% fixed
output, target = torch.rand(4), torch.ones(4, dtype=torch.long)
target = target.to(output.dtype)
nn.BCELoss()(output, target)

# %% labels of BCELoss in float64
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
output, target = model(torch.randn(8, 4)), torch.randint(2, (8, 1)).double()
nn.functional.binary_cross_entropy(output, target).backward()

# %% counts as targets of a regression
output, target = torch.rand(4, requires_grad=True), torch.arange(4)
nn.HuberLoss()(output, target).backward()

# %% a model in bfloat16 and targets in float32
model = nn.Linear(4, 2, dtype=torch.bfloat16)
output, target = model(torch.randn(8, 4, dtype=torch.bfloat16)), torch.randn(8, 2)
nn.HuberLoss()(output, target).backward()
# %% fixed
model, loss_fn = nn.Linear(4, 2, dtype=torch.bfloat16), nn.HuberLoss()
output, target = model(torch.randn(8, 4, dtype=torch.bfloat16)).float(), torch.randn(8, 2)
loss_fn(output.float(), target.float()).backward()

# %% a model in float64
output, target = torch.rand(4, dtype=torch.float64, requires_grad=True), torch.rand(4)
nn.HuberLoss()(output, target).backward()

# %% boxes in float64
output, target = torch.rand(4, 4, requires_grad=True), torch.rand(4, 4, dtype=torch.float64)
nn.HuberLoss(reduction="none")(output, target).sum().backward()

# %% right: both are float32
output, target = torch.rand(4, requires_grad=True), torch.rand(4)
nn.HuberLoss()(output, target).backward()

# %% right: both are float64
output, target = torch.rand(4, dtype=torch.float64, requires_grad=True), torch.rand(4, dtype=torch.float64)
nn.BCELoss()(output, target).backward()
