import torch
<<<<<<< HEAD
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

# %% combined comparisons without parentheses
batch, valid = torch.rand(8), torch.ones(8, dtype=torch.bool)
operation = lambda x: x & valid
kept = batch[batch > 0.5 & valid]
# %% fixed
x, y = torch.rand(8), torch.ones(8, dtype=torch.bool)
kept = x[(x > 0.5) & y]
batch, operation = x > 0.5, lambda x: x & y

# %% a segmentation mask of booleans, scaled
batch = torch.rand(2, 1, 96, 96) > 0.5
operation = lambda x: F.interpolate(x, size=(48, 48))
small = operation(batch)
# %% fixed
x = torch.rand(2, 1, 96, 96) > 0.5
operation = lambda x: F.interpolate(x.float(), size=(48, 48)).long()
small, batch = operation(x), x

# %% images as they were read, pooled
batch = torch.randint(256, (4, 3, 32, 32), dtype=torch.uint8)
operation = nn.AdaptiveAvgPool2d(2)
pooled = operation(batch)
# %% fixed
x = torch.randint(256, (4, 3, 32, 32), dtype=torch.uint8)
operation = lambda x: nn.AdaptiveAvgPool2d(2)(x.float()).long()
pooled, batch = operation(x), x

# %% predictions in the place of logits
logits, labels = torch.randn(8, 5), torch.randint(5, (8,))
batch = logits.long()
operation = lambda x: F.cross_entropy(x, labels)
loss = operation(batch)

# %% a determinant in float16
batch = torch.eye(4).half()
operation = torch.linalg.det
determinant = operation(batch)
# %% fixed
x = torch.eye(4).half()
operation = lambda x: torch.linalg.det(x.float()).half()
determinant, batch = operation(x), x

# %% distances in float16 on the CPU
batch = torch.randn(6, 3).half()
operation = lambda x: torch.cdist(x, x)
distances = operation(batch)

# %% message: a histogram of scores
counts = torch.bincount(torch.tensor([0.0, 2.0, 2.0]))
# %% fixed
x = torch.tensor([0.0, 2.0, 2.0])
counts = torch.bincount(x.long())

# %% message: weights created as integers
weight = nn.init.kaiming_uniform_(torch.zeros(4, 4, dtype=torch.long))
# %% fixed
weight = nn.init.kaiming_uniform_(torch.zeros(4, 4, dtype=torch.float32))

# %% message: rounded predictions in a loss
ratings = torch.tensor([3, 5, 4])
loss = nn.MSELoss()(torch.tensor([2.7, 4.9, 4.1]).round().long(), ratings)
# %% fixed
targets = torch.tensor([3, 5, 4])
loss = nn.MSELoss()(torch.tensor([2.7, 4.9, 4.1]), targets.float())

# %% message: a depth map of 16 bits
depth = torch.full((4, 4), 900, dtype=torch.uint16)
nearest = depth.max()
# %% fixed
x = torch.full((4, 4), 900, dtype=torch.uint16)
nearest = x.int().max()

# %% message: a counter of 64 bits
steps = torch.ones(3, dtype=torch.uint64)
total = steps + steps
# %% fixed
x = torch.ones(3, dtype=torch.uint64)
total = x.long() + x.long()

# %% message: weights stored in float8
stored = torch.ones(4).to(torch.float8_e4m3fn)
scaled = stored + 1
# %% fixed
x = torch.ones(4).to(torch.float8_e4m3fn)
scaled = x.float() + 1

# %% message: a spectrum in a loss
spectrum = torch.fft.fft(torch.randn(16))
loss = F.mse_loss(spectrum, torch.zeros_like(spectrum))
# %% fixed
x = torch.fft.fft(torch.randn(16))
loss = F.mse_loss(x.abs(), torch.zeros(16))

# %% message: the greatest common divisor of floats
step = torch.gcd(torch.tensor([6.0]), torch.tensor([4.0]))
# %% fixed
x = torch.tensor([6.0])
step = torch.gcd(x.long(), torch.tensor([4]))

# %% right: a mask of integers that nothing computes on
batch = torch.randint(4, (2, 1, 96, 128))
operation = lambda x: x.flip(-1)
flipped = operation(batch)

# %% right: images that were converted
batch = torch.randint(256, (4, 3, 32, 32), dtype=torch.uint8).float()
operation = nn.AdaptiveAvgPool2d(2)
pooled = operation(batch)
=======
from torch import nn

# %% integers in a loss for floats
ratings, x = torch.randint(1, 6, (32,)), torch.randint(1, 6, (32,))
operation = lambda x: nn.functional.mse_loss(x, ratings.to(x.dtype))
operation(x)
# %% fixed
ratings, x = torch.randint(1, 6, (32,)), torch.randint(1, 6, (32,))
operation = lambda x: nn.functional.mse_loss(x, ratings.to(x.dtype))
x = x.float()
operation(x)

# %% a singular value decomposition in float16
x = torch.randn(64, 64).half()
operation = torch.linalg.svdvals
operation(x)
# %% fixed
x = torch.randn(64, 64).half()
operation = torch.linalg.svdvals
x = x.float()
operation(x)

# %% counting ids that became floats
x = torch.tensor([3.0, 1.0, 3.0])
operation = torch.bincount
operation(x)
# %% fixed
x = torch.tensor([3.0, 1.0, 3.0])
operation = torch.bincount
x = x.long()
operation(x)

# %% a distance in float16 on the CPU
x = torch.randn(10, 8).half()
operation = lambda x: torch.cdist(x, x)
operation(x)
# %% fixed
x = torch.randn(10, 8).half()
operation = lambda x: torch.cdist(x, x)
x = x.float()
operation(x)

# %% the maximum of a depth image in uint16
x = torch.randint(2000, (48, 64)).to(torch.uint16)
operation = torch.max
operation(x)
# %% fixed
x = torch.randint(2000, (48, 64)).to(torch.uint16)
operation = torch.max
x = x.int()
operation(x)

# %% message: logits that are integers
labels, logits = torch.tensor([0, 2, 1]), torch.randn(3, 4)
nn.functional.cross_entropy(labels.view(3, 1), logits.argmax(1))

# %% message: random numbers in an integer dtype
noise = torch.zeros(4, 8, dtype=torch.long).normal_()
# %% fixed
noise = torch.zeros(4, 8, dtype=torch.float32).normal_()

# %% message: uniform numbers in an integer dtype
noise = torch.rand(4, 8, dtype=torch.int64)
# %% fixed
noise = torch.rand(4, 8, dtype=torch.float32)

# %% message: counting ids in float16
counts = torch.bincount(torch.tensor([3.0, 1.0]).half())
# %% fixed
x = torch.tensor([3.0, 1.0]).half()
counts = torch.bincount(x.long())

# %% message: an or without parentheses
scores, valid = torch.rand(8), torch.ones(8, dtype=torch.bool)
kept = scores[scores > 0.5 | valid]
# %% fixed
x, y = torch.rand(8), torch.rand(8)
kept = x[(x > 0.5) & (y < 1)]

# %% message: a product of boolean masks
overlap = torch.ones(2, 3, dtype=torch.bool) @ torch.ones(3, 4, dtype=torch.bool)
# %% fixed
x, y = torch.ones(2, 3, dtype=torch.bool), torch.ones(3, 4, dtype=torch.bool)
overlap = x.float() @ y.float()

# %% message: a sum of float8
x = torch.randn(3).to(torch.float8_e4m3fn)
y = x + x
# %% fixed
x = torch.randn(3).to(torch.float8_e4m3fn)
y = x.float() + x.float()

# %% right: a maximum of integers
x = torch.randint(4, (2, 1, 96, 128))
operation = lambda x: nn.functional.max_pool2d(x, 2)
operation(x)

# %% right: the nearest pixels of bytes
x = torch.randint(4, (2, 1, 96, 128)).byte()
operation = lambda x: nn.functional.interpolate(x, size=(64, 64), mode="nearest")
operation(x)
>>>>>>> true-2
