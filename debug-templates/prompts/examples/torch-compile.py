import torch
from torch import nn


class GatedClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(16, 32)
        self.gate = nn.Linear(32, 1)
        self.head = nn.Linear(32, 4)

    def forward(self, readings):
        features = torch.relu(self.encoder(readings))
        gate = torch.sigmoid(self.gate(features))
        if gate.mean() > 0.5:
            features = features * gate
        return self.head(features)


torch.manual_seed(0)
model = GatedClassifier()
readings = torch.randn(8, 16)
print(f"eager, scores: {tuple(model(readings).shape)}")

# The backend "eager" compiles nothing: what fails here fails while torch.compile reads the code.
compiled = torch.compile(model, backend="eager", fullgraph=True)
scores = compiled(readings)  # error
print(f"compiled, scores: {tuple(scores.shape)}")
