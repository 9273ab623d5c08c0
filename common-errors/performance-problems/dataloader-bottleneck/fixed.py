import timeit
from time import process_time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Recordings(Dataset):
    def __init__(self):
        self.labels = torch.arange(128) % 4
        tones = (self.labels[:, None] + 1) * torch.linspace(0, 3000, 16000)  # a second each
        self.waves = tones.sin() + torch.randn(128, 16000)
        self.spectra = [self.spectrum(index) for index in range(128)]  # once, not in each epoch

    def spectrum(self, index):
        window = torch.hann_window(400)
        return torch.stft(self.waves[index], 400, 160, window=window, return_complex=True).abs().log1p().mean(1)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.spectra[index], self.labels[index]


model = nn.Sequential(nn.Linear(201, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader(Recordings(), batch_size=16, shuffle=True)


def train(batches):
    for spectra, labels in batches:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(spectra), labels).backward()
        optimizer.step()


def seconds(batches):
    return min(timeit.repeat(lambda: train(batches), timer=process_time, number=1, repeat=4))  # CPU time, one thread


epoch, steps_alone = seconds(loader), seconds(list(loader))
print(f"share_waiting_for_data={1 - steps_alone / epoch:.1f}")
print(f"times_as_long={epoch / steps_alone:.1f}")
