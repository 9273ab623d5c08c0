import torch

torch.manual_seed(0)
waveform = torch.randn(2, 16000)  # one second of two recordings
options = {"n_fft": 512, "hop_length": 160, "window": torch.hann_window(512), "return_complex": True}

spectrum = torch.stft(waveform, **options)
magnitude = spectrum.abs()  # complex numbers, in place of a last dimension for real and imaginary part
print(f"magnitude: {tuple(magnitude.shape)}")
