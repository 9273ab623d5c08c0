import torch
from torch import nn

torch.manual_seed(0)

# %% sentence lengths
x = torch.tensor([[7, 12, 3], [4, 9, 1]])
average = x.mean(dim=1)

# %% channel means of an image
x = torch.randint(256, (3, 32, 32), dtype=torch.uint8)
channel_means = x.mean((1, 2))

# %% an integer as the dtype of the result
x, dtype = torch.randn(8), torch.long
x.mean(dtype=dtype)
# %% fixed
x, dtype = torch.randn(8), torch.float32
x.mean(dtype=torch.float32)

# %% how many pixels a mask covers, in a metric
class Coverage(nn.Module):
    def forward(self, mask):
        return mask.mean()

x = torch.rand(2, 1, 8, 8) > 0.5
Coverage()(x)
# %% fixed
correct = x = (torch.rand(2, 1, 8, 8) > 0.5).float()
covered = correct.float().mean()

# %% message: an absolute error of two integer tensors
predicted, target = torch.tensor([3, 4]), torch.tensor([2, 6])
nn.functional.l1_loss(predicted, target)

# %% message: int32 ids, pooled
nn.functional.adaptive_avg_pool1d(torch.ones(1, 2, 8, dtype=torch.int32), 1)

# %% message: nanmean of a mask
(torch.rand(5) > 0.5).nanmean()
# %% fixed
x = torch.rand(5) > 0.5
x.float().mean()

# %% message: the spread of integers
torch.tensor([3, 4, 8, 9]).std()
# %% fixed
x = torch.tensor([3, 4, 8, 9])
x.float().std()

# %% message: mean and variance at once
torch.var_mean(torch.tensor([3, 4, 8, 9]))
# %% fixed
x = torch.tensor([3, 4, 8, 9])
x.float().std()

# %% message: a quantile of a depth map
torch.quantile(torch.randint(4000, (12, 16)), 0.95)
# %% fixed
x, q = torch.randint(4000, (12, 16)), 0.95
torch.quantile(x.float(), q)

# %% message: rows of counts, normalized
nn.functional.normalize(torch.tensor([[3, 4], [8, 9]]))
# %% fixed
x = torch.tensor([[3, 4], [8, 9]])
nn.functional.normalize(x.float())

# %% message: a norm of a boolean mask
torch.linalg.matrix_norm(torch.eye(3) > 0)
# %% fixed
x = torch.eye(3) > 0
torch.linalg.matrix_norm(x.float())

# %% message: the distance of two pixels
torch.dist(torch.tensor([3, 4]), torch.tensor([8, 9]))
# %% fixed
x, y = torch.tensor([3, 4]), torch.tensor([8, 9])
torch.dist(x.float(), y.float())

# %% right: integers with a dtype for the result
x, dtype = torch.tensor([3, 4, 8]), torch.float32
x.mean(dtype=dtype)

# %% right: a mean of bfloat16
x = torch.rand(8).bfloat16()
x.mean()

# %% right: complex numbers
x = torch.fft.fft(torch.rand(8))
x.mean()
