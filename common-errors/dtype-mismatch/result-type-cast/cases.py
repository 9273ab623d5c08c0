import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
fractions = False

# %% labels of several classes each, in int32
changed, other = torch.randint(2, (8, 5), dtype=torch.int32), torch.randn(8, 5)
labels = changed
nn.BCEWithLogitsLoss()(other, labels)
# %% fixed
changed, other = torch.randint(2, (8, 5), dtype=torch.int32), torch.randn(8, 5)
labels = changed
changed = labels.float()
nn.BCEWithLogitsLoss()(other, changed)

# %% pixels are scaled in place
changed, other, fractions = torch.randint(256, (3, 4, 4), dtype=torch.uint8), 255, True
changed /= other
# %% fixed
image, other, fractions = torch.randint(256, (3, 4, 4), dtype=torch.uint8), 255, True
image = image.float() / 255
changed = image

# %% an average of weights with a counter of batches
changed, other = nn.BatchNorm1d(4).state_dict()["num_batches_tracked"], 0.9
changed.mul_(other)
# %% fixed
x, other = nn.BatchNorm1d(4).state_dict()["num_batches_tracked"], 0.9
x = x / 2  # or skip it
changed = x

# %% noise is added to a mask
changed, other = torch.ones(4, dtype=torch.bool), torch.randn(4)
changed += other
# %% fixed
x, y = torch.ones(4, dtype=torch.bool), torch.randn(4)
x = x + y
changed, other = x, y

# %% message: labels that were stored as bytes
labels = torch.ones(4, dtype=torch.uint8)
F.binary_cross_entropy_with_logits(torch.randn(4), labels)
# %% fixed
labels = torch.ones(4, dtype=torch.uint8)
F.binary_cross_entropy_with_logits(torch.randn(4), labels.float())

# %% message: boxes are clamped to a tensor of limits
x, low, high = torch.tensor([[-3, 700]]), torch.zeros(2), torch.tensor([640.0, 480.0])
x.clamp_(low, high)
# %% fixed
x, low, high = torch.tensor([[-3, 700]]), torch.zeros(2), torch.tensor([640.0, 480.0])
x.clamp(low, high)

# %% message: grid indices are clamped to a scalar
x, limit = torch.tensor([3, 80]), torch.tensor(80.0)
x.clamp_(0, limit - 1)
# %% fixed
x, limit = torch.tensor([3, 80]), torch.tensor(80.0)
x.clamp_(0, int(limit) - 1)

# %% message: dropout on a mask
mask = torch.ones(2, 5, dtype=torch.bool)
F.dropout(mask, 0.1)
# %% fixed
mask = torch.ones(2, 5, dtype=torch.bool)
F.dropout(mask.float(), 0.1)

# %% message: a spectrum is added to a signal
x = torch.randn(8)
x += torch.fft.fft(x)
# %% fixed
x = torch.randn(8)
x += torch.fft.fft(x).abs()

# %% right: float64 is written into float32
changed, other = torch.zeros(3), torch.ones(3, dtype=torch.float64)
changed += other

# %% right: an integer is added to pixels
changed, other = torch.tensor([250], dtype=torch.uint8), 3
changed += other
