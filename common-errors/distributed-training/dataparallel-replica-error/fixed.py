import torch
from torch import nn


class SpeechModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(40, 64, batch_first=True)
        self.head = nn.Linear(64, 10)

    def forward(self, frames):
        # The input is on the GPU of its copy. The copies have no parameters() of their own.
        hidden = torch.zeros(1, len(frames), 64, device=frames.device)
        return self.head(self.encoder(frames, hidden)[0])


torch.manual_seed(0)
# Two copies on one GPU behave as copies on GPUs 0 and 1.
model = nn.DataParallel(SpeechModel().cuda(), device_ids=[0, 0])
scores = model(torch.randn(8, 50, 40, device="cuda"))
print(f"scores: {tuple(scores.shape)}")
