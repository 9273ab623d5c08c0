import torch
from torch import nn


class GestureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(6, 64, kernel_size=5, padding=2)
        self.pool = nn.MaxPool1d(2)
        self.lstm = nn.LSTM(64, 128, batch_first=True)
        self.head = nn.Linear(128, 4)

    def forward(self, signals):
        features = self.pool(torch.relu(self.conv(signals)))
        # A convolution puts channels before time, an LSTM expects them last.
        outputs, _ = self.lstm(features.transpose(1, 2))
        return self.head(outputs[:, -1])


torch.manual_seed(0)
model = GestureNet()
signals = torch.randn(16, 6, 100)  # recordings, sensors, time steps
logits = model(signals)
print(f"logits: {tuple(logits.shape)}")
