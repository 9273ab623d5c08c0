import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(32, 64)
        self.head = nn.Linear(64, 10)

    def forward(self, inputs):
        features = torch.relu(self.hidden(inputs))
        norm = features.norm()
        # Always scale, by a factor that is 1 where the norm is within the limit: no decision is left to Python.
        features = features * (10.0 / norm.clamp(min=10.0))
        return self.head(features)


torch.manual_seed(0)
inputs = torch.randn(16, 32)
# The backend "eager" needs no C++ compiler; the graph is captured before any backend sees it.
model = torch.compile(Encoder(), fullgraph=True, backend="eager")
logits = model(inputs)
print(f"logits: {tuple(logits.shape)}")
