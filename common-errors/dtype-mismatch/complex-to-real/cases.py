import torch
from torch import nn

torch.manual_seed(0)

# %% rows of a real tensor hold the transforms
x = torch.fft.fft(torch.randn(4, 16))
real = torch.zeros(4, 16)
for row, line in enumerate(x):
    real[row] = line
# %% fixed
x = torch.fft.fft(torch.randn(4, 16))
real = torch.zeros(4, 16)
for row, line in enumerate(x.abs()):
    real[row] = line

# %% the eigenvalues of a rotation
x = torch.linalg.eigvals(torch.tensor([[0.6, -0.8], [0.8, 0.6]]))
real = x.to(torch.float32)
# %% fixed
x = torch.linalg.eigvals(torch.tensor([[0.6, -0.8], [0.8, 0.6]]))
real = torch.view_as_real(x)


# %% rotary positions, in a model that is converted to bfloat16
class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(16.0), 1 / 10 ** torch.arange(4.0))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))


model = Rotary()
x = model.turns.clone()
model.to(torch.bfloat16)
real = model.turns
# %% fixed
class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(16.0), 1 / 10 ** torch.arange(4.0))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))


model = Rotary()
x = model.turns.clone()
model.bfloat16()
real = model.turns

# %% a spectrogram as an image
x = torch.stft(torch.randn(2, 400), 64, window=torch.hann_window(64), return_complex=True)
real = x.half()
# %% fixed
x = torch.stft(torch.randn(2, 400), 64, window=torch.hann_window(64), return_complex=True)
real = x.abs().half()

# %% message: real data, back from the frequency domain
restored = torch.fft.ifft(torch.fft.fft(torch.randn(4, 16))).float()
# %% fixed
x = torch.fft.ifft(torch.fft.fft(torch.randn(4, 16)))
restored = x.real

# %% right: the real part of real data
x = torch.fft.ifft(torch.fft.fft(torch.randn(4, 16)))
real = x.real

# %% right: both parts as channels
x = torch.fft.fft(torch.randn(4, 16))
real = torch.view_as_real(x)
