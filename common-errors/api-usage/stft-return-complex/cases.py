import torch
from torch import nn

# %% a log spectrogram
signal, options = torch.randn(8000), {"n_fft": 256, "window": torch.hamming_window(256), "onesided": True}
power = torch.stft(signal, **options).pow(2).sum(-1).log1p()
# %% fixed
signal, options = torch.randn(8000), {"n_fft": 256, "window": torch.hamming_window(256), "return_complex": True}  # return_complex=True
spectrum = torch.stft(signal, **options)
power = torch.view_as_real(spectrum).pow(2).sum(-1).log1p()

# %% in double precision, as a method of the tensor
signal, options = torch.randn(4, 4000, dtype=torch.float64), {"n_fft": 400, "normalized": True}
real, imaginary = signal.stft(**options).unbind(-1)


# %% message: a loss of a vocoder
class SpectralLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(1024))

    def forward(self, generated, recorded):
        spectra = [torch.stft(x, 1024, 256, 1024, self.window) for x in (generated, recorded)]
        return nn.functional.l1_loss(*(s.norm(dim=-1) for s in spectra))


loss = SpectralLoss()(torch.randn(1, 8192), torch.randn(1, 8192))

# %% message: back to a waveform, from a real tensor
window = torch.hann_window(512)
spectrum = 0.5 * torch.view_as_real(torch.stft(torch.randn(4096), 512, window=window, return_complex=True))
waveform = torch.istft(spectrum, 512, window=window)
# %% fixed
window = torch.hann_window(512)
spectrum = 0.5 * torch.view_as_real(torch.stft(torch.randn(4096), 512, window=window, return_complex=True))
waveform = torch.istft(torch.view_as_complex(spectrum), 512, window=window)

# %% message: phase and magnitude for a separator
mixture = torch.randn(2, 16384)
spectrum = torch.stft(mixture, n_fft=4096, hop_length=1024, window=torch.hann_window(4096), center=True)
phase = torch.atan2(spectrum[..., 1], spectrum[..., 0])

# %% right: a complex signal
signal = torch.randn(4000, dtype=torch.complex64)
options = {"n_fft": 256, "window": torch.hann_window(256)}
spectrum = torch.stft(signal, **options)

# %% right: complex numbers, asked for
signal, options = torch.randn(4000), {"n_fft": 256, "window": torch.hann_window(256), "return_complex": True}
spectrum = torch.stft(signal, **options)
