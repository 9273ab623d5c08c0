import torch

torch.manual_seed(0)
waveform = torch.randn(2, 16000)  # one second of two recordings
options = {"n_fft": 512, "hop_length": 160, "window": torch.hann_window(512)}

spectrum = torch.stft(waveform, **options)  # error
magnitude = spectrum.pow(2).sum(-1).sqrt()
print(f"magnitude: {tuple(magnitude.shape)}")
