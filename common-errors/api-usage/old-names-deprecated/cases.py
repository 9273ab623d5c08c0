import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Linear(4, 3)

# %% one loss for each sample
call = lambda: nn.MSELoss(reduce=False)
call()
# %% fixed
call = lambda: nn.MSELoss(reduction="none")
call()

# %% the function of a loss
call = lambda: F.mse_loss(torch.ones(4), torch.zeros(4), size_average=True)
call()
# %% fixed
call = lambda: F.mse_loss(torch.ones(4), torch.zeros(4), reduction="mean")
call()

# %% features are enlarged
call = lambda: F.upsample(torch.ones(1, 4, 8, 8), scale_factor=2, mode="bilinear")
call()
# %% fixed
call = lambda: F.interpolate(torch.ones(1, 4, 8, 8), scale_factor=2, mode="bilinear")
call()

# %% weights are initialized
call = lambda: nn.init.xavier_uniform(model.weight)
call()
# %% fixed
from torch.nn.init import xavier_uniform_

call = lambda: xavier_uniform_(model.weight)
call()

# %% gradients are clipped
call = lambda: nn.utils.clip_grad_norm(model.parameters(), 1.0)
call()

# %% a vocoder with weight normalization
call = lambda: torch.nn.utils.weight_norm(nn.Conv1d(4, 4, 3))
call()
# %% fixed
call = lambda: torch.nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 4, 3))
call()

# %% message: keys of attention are transposed
keys = torch.randn(2, 5, 8).T
# %% fixed
x = torch.randn(2, 5, 8)
keys = x.mT

# %% message: a mask of bytes
mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
kept = torch.randn(3)[mask]
# %% fixed
mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
kept = torch.randn(3)[mask.bool()]

# %% message: a condition of bytes
mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
kept = torch.where(mask, torch.randn(3), torch.zeros(3))
# %% fixed
mask = torch.tensor([1, 0, 1], dtype=torch.uint8)
kept = torch.where(mask.bool(), torch.randn(3), torch.zeros(3))

# %% positions with their end
call = lambda: torch.range(0, 9)
call()
# %% fixed
a, b = 0, 9
call = lambda: torch.arange(a, b + 1)
call()

# %% an image for inference
call = lambda: torch.autograd.Variable(torch.randn(1, 4), volatile=True)
call()
# %% fixed
def call():
    with torch.no_grad():
        return model(torch.randn(1, 4))


call()

# %% message: the old name of the mean
F.mse_loss(torch.ones(4), torch.zeros(4), reduction="elementwise_mean")
# %% fixed
F.mse_loss(torch.ones(4), torch.zeros(4), reduction="mean")

# %% message: is it volatile
torch.randn(3).volatile
# %% fixed
with torch.no_grad():
    torch.randn(3) + 1

# %% right: functions that are not deprecated
call = lambda: F.sigmoid(model(torch.randn(2, 4)))
call()

# %% right: a matrix is transposed
x = torch.randn(5, 8)
call = lambda: x.T
call()
