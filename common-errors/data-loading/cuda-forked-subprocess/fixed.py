import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Recordings(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        signal = torch.sin(torch.arange(2048) * (0.01 + 0.01 * index))
        return signal  # stays on the CPU: this runs in a worker, and workers do not touch CUDA


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = nn.Linear(2048, 4).to(device)
    # "fork" is the default on Linux up to Python 3.13.
    loader = DataLoader(Recordings(), batch_size=4, num_workers=1, multiprocessing_context="fork")
    for batch in loader:
        batch = batch.to(device)  # in the main process, which uses CUDA anyway
        print(f"scores: {tuple(model(batch).shape)}")
