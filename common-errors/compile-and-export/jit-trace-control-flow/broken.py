import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 2)

    def forward(self, signal):
        peak = signal.abs().max()
        if peak > 1.0:  # error
            signal = signal / peak
        return self.layer(signal)


torch.manual_seed(0)
model = Detector()
quiet, loud = torch.rand(1, 64), 5 * torch.rand(1, 64)
traced = torch.jit.trace(model, quiet)
print("quiet signal, same result:", torch.allclose(traced(quiet), model(quiet)))
print("loud signal, same result:", torch.allclose(traced(loud), model(loud)))
