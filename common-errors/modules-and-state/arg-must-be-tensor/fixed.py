import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 32, batch_first=True)
        self.head = nn.Linear(32, 1)

    def forward(self, series):
        features, _ = self.lstm(series)  # an LSTM returns (outputs, (hidden, cell))
        return self.head(features)


torch.manual_seed(0)
model = Forecaster()
batch = torch.randn(8, 24, 3)
predictions = model(batch)
print(f"predictions: {tuple(predictions.shape)}")
