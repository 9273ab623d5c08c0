import torch
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

# %% message: a spectrum in float16
x = torch.randn(4, 400).half()
spectrum = torch.fft.rfft(x)
# %% fixed
x = torch.randn(4, 400).half()
spectrum = torch.fft.rfft(x.float())

# %% message: a sum of float8
x = torch.randn(3).to(torch.float8_e4m3fn)
y = x + x
# %% fixed
x = torch.randn(3).to(torch.float8_e4m3fn)
y = x.float() + x.float()

# %% message: a threshold for a spectrum
spectrum = torch.fft.fft(torch.randn(64))
spectrum[spectrum < 10] = 0
# %% fixed
x = torch.fft.fft(torch.randn(64))
x[x.abs() < 10] = 0

# %% message: the squared error of two spectra
nn.functional.mse_loss(torch.fft.fft(torch.randn(64)), torch.fft.fft(torch.randn(64)))
# %% fixed
a, b = torch.fft.fft(torch.randn(64)), torch.fft.fft(torch.randn(64))
loss = ((a - b).abs() ** 2).mean()

# %% message: a complex image, enlarged
nn.functional.interpolate(torch.randn(1, 2, 8, 8, dtype=torch.complex64), scale_factor=2)
# %% fixed
x, f = torch.randn(1, 2, 8, 8, dtype=torch.complex64), lambda part: nn.functional.interpolate(part, scale_factor=2)
enlarged = torch.complex(f(x.real), f(x.imag))

# %% message: a product of complex numbers of 16 bits
x = torch.randn(8, dtype=torch.complex64).to(torch.complex32)
x @ x
# %% fixed
x = torch.randn(8, dtype=torch.complex64)
x.to(torch.complex64) @ x.to(torch.complex64)

# %% right: a maximum of integers
x = torch.randint(4, (2, 1, 96, 128))
operation = lambda x: nn.functional.max_pool2d(x, 2)
operation(x)

# %% right: the nearest pixels of bytes
x = torch.randint(4, (2, 1, 96, 128)).byte()
operation = lambda x: nn.functional.interpolate(x, size=(64, 64), mode="nearest")
operation(x)
